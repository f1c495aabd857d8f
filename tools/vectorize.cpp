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
  const ModeRow* mode = nullptr;
};

}  // namespace
}  // namespace headwater::vectorize

int main(int argc, char** argv) {
  using namespace headwater;
  using namespace headwater::vectorize;
  const Command& command = find_command(argc > 1 ? argv[1] : "");
  std::vector<char*> words(argv, argv + argc);
  if (!command.name.empty()) words.erase(words.begin() + 1);
  const std::string modes = command.name.empty() ? command_list() : "";
  std::optional<Line> all;
  return cli::tool_main(
      static_cast<int>(words.size()), words.data(),
      {.name = "vectorize", .summary = command.summary, .examples = command.examples, .modes = modes},
      [&](cli::CommandLine& line) {
        all.emplace().options.command = &command;
        describe(line, all->options);
        line.modes(command_names(), command.name);
        all->typed.find(line, command);
        line.before_rules([&] { all->mode = &find_mode(all->options, all->typed); });
      },
      [&] {
        const ModeRow& mode = *all->mode;
        if (mode.resolve != nullptr) mode.resolve(all->options, all->typed);
        ThreadPool(all->options.threads).run([&] { mode.run(all->options); });
      });
}
