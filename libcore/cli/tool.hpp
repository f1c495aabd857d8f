// What every program shares: option parsing, --help, --version, errors to one line, exit status.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace headwater::cli {

struct ToolDescription {
  std::string_view name;      // "generate"
  std::string_view summary;   // "continue each input line"
  std::string_view examples;  // shown first in --help, one a line
};

// Parses, runs, flushes and checks stdout. Returns the exit status: 0 done; 1 the work failed (Error,
// bad_alloc, a full disk); 2 called wrongly (CLI11's own codes, UsageError). Help and version go to stdout
// with status 0. SIGPIPE keeps its default. `name: message` is the one line on stderr.
int tool_main(int argc, char** argv, const ToolDescription& tool,
              const std::function<void(CLI::App&)>& describe, const std::function<void()>& run);

// The same with the options of the tool, a struct that is made here: whatever fails has its line.
template <class Options>
int tool_main(int argc, char** argv, const ToolDescription& tool, void (*describe)(CLI::App&, Options&),
              void (*run)(const Options&)) {
  struct {
    void (*describe)(CLI::App&, Options&);
    void (*run)(const Options&);
    std::optional<Options> options;
  } all{describe, run, {}};
  return tool_main(
      argc, argv, tool, [&all](CLI::App& app) { all.describe(app, all.options.emplace()); },
      [&all] { all.run(*all.options); });
}

// One line on stderr: "tool: text". A closed stderr is not an error.
void note(std::string_view text);

// Says how many lines had more than `length` tokens; nothing where none had.
void note_cut_lines(std::int64_t count, std::int64_t length);

// Shared options, the same words in every tool.
void add_threads_option(CLI::App& app, int& threads);
void add_quiet_option(CLI::App& app, bool& is_quiet);
// --isa auto | avx512 | avx2 | portable: the code path of the kernels.
void add_isa_option(CLI::App& app, std::string& isa);

}  // namespace headwater::cli
