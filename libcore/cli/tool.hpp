// What every program shares: option parsing, --help, --version, errors to one line, exit status.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "support/token_counts.hpp"

namespace headwater::cli {

struct ToolDescription {
  std::string_view name;        // "generate"
  std::string_view summary;     // "continue each input line"
  std::string_view examples;    // shown first in --help, one a line
  std::string_view modes = {};  // shown after them, a word and what it does on each line
};

// Parses, runs, flushes and checks stdout. Returns the exit status: 0 done; 1 the work failed (Error,
// bad_alloc, a full disk); 2 called wrongly (UsageError). Help and version go to stdout
// with status 0. SIGPIPE keeps its default. `name: message` is the one line on stderr.
int tool_main(int argc, char** argv, const ToolDescription& tool,
              const std::function<void(CommandLine&)>& describe, const std::function<void()>& run);

// The same with the options of the tool, a struct that is made here: whatever fails has its line.
template <class Options>
int tool_main(int argc, char** argv, const ToolDescription& tool, void (*describe)(CommandLine&, Options&),
              void (*run)(const Options&)) {
  struct {
    void (*describe)(CommandLine&, Options&);
    void (*run)(const Options&);
    std::optional<Options> options;
  } all{describe, run, {}};
  return tool_main(
      argc, argv, tool, [&all](CommandLine& line) { all.describe(line, all.options.emplace()); },
      [&all] { all.run(*all.options); });
}

// What --version prints: the program, its version, the commit, the bits version, and what it was built for.
std::string version_text();

// One line on stderr: "tool: text", whatever is in the text. A closed stderr is not an error.
void note(std::string_view text);

// As note(), unless `is_quiet`, of what may harm a result. It is kept: what was said while a run was made
// stands on the run's page. Where the variable HEADWATER_MESSAGES names a file, as the stages of a recipe do,
// the end of the program writes FILE.TOOL.messages.json, also why it failed, or removes it. Messages name
// options as the caller of those stages does (for_recipe).
void warn(std::string_view text, bool is_quiet = false);
const std::vector<std::string>& warnings();

// Ends the program as the signal would, after its temporary files: for a handler, too.
void end_by_signal(int number) noexcept;

// Says how many lines had more than `length` tokens, and the numbers of the first; nothing where none had.
void note_truncated_lines(const TruncatedLines& lines, std::int64_t length, bool is_quiet = false);

// Says, a line each, why newer checkpoints of a model were passed over, also where a tool is to be quiet:
// what it writes comes from an older one.
void note_skipped_checkpoints(std::span<const std::string> reasons);

// "12 of 340 source tokens (3.5 %) unknown", the columns without an unknown token left out; "" where none has
// one.
std::string unknown_tokens(std::span<const ColumnTokenCounts> columns);
// Says that of one column without a name, or of several; nothing where all tokens are known.
void note_unknown_tokens(const TokenCounts& counts, bool is_quiet = false);
void note_unknown_tokens(std::span<const ColumnTokenCounts> columns, bool is_quiet = false);

// Shared options, the same words in every tool.
void add_threads_option(CommandLine& line, int& threads);
void add_quiet_option(CommandLine& line, bool& is_quiet);
// --isa auto | avx512 | avx2 | portable: the code path of the kernels.
void add_isa_option(CommandLine& line, std::string& isa);

}  // namespace headwater::cli
