// vectorize: tokens to ids or bags of words; labels to ids; images to a data set. Manual: tools/vectorize.md.
#include "tools/vectorize/vectorize.hpp"
#include <optional>

#include "cli/tool.hpp"
#include "support/parallel.hpp"

namespace headwater::vectorize {
namespace {

struct Line {
  Options options;
  ModeOptions typed;
};

// The word of a command is taken out; what it stands for comes in its place.
std::vector<char*> without_command(int argc, char** argv, const Command& command) {
  std::vector<char*> words(argv, argv + argc);
  if (command.name.empty()) return words;
  words.erase(words.begin() + 1);
  for (auto word = command.words.rbegin(); word != command.words.rend(); ++word)
    words.insert(words.begin() + 1, const_cast<char*>(word->c_str()));
  return words;
}

}  // namespace
}  // namespace headwater::vectorize

int main(int argc, char** argv) {
  using namespace headwater;
  using namespace headwater::vectorize;
  const Command& command = find_command(argc > 1 ? argv[1] : "");
  std::vector<char*> words = without_command(argc, argv, command);
  const std::string modes = command.name.empty() ? command_list() : "";
  std::optional<Line> all;
  return cli::tool_main(
      static_cast<int>(words.size()), words.data(),
      {.name = "vectorize", .summary = command.summary, .examples = command.examples, .modes = modes},
      [&](cli::CommandLine& line) {
        all.emplace().options.command = &command;
        describe(line, all->options);
        all->typed.find(line);
        line.modes(command_names());
        all->typed.show_only(command.modes);
      },
      [&] {
        const ModeRow& mode = resolve_mode(all->options, all->typed);
        ThreadPool(all->options.threads).run([&] { mode.run(all->options); });
      });
}
