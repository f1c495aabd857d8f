// What every program shares: option parsing, --help, --version, errors to one line, exit status.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace headwater::cli {

struct ToolDescription {
  std::string name;      // "generate"
  std::string summary;   // "continue each input line"
  std::string examples;  // shown first in --help, one a line
};

// Parses, runs, flushes and checks stdout. Returns the exit status: 0 done; 1 the work failed (Error,
// bad_alloc, a full disk); 2 called wrongly (CLI11's own codes, UsageError). Help and version go to stdout
// with status 0. SIGPIPE keeps its default. `name: message` is the one line on stderr.
int tool_main(int argc, char** argv, const ToolDescription& tool,
              const std::function<void(CLI::App&)>& describe, const std::function<void()>& run);

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
