// Options of lines, and who reads standard input.
#include <algorithm>
#include <charconv>

#include "cli/lines.hpp"
#include "support/error.hpp"

namespace headwater::cli {

bool reads_input(const std::vector<std::string>& paths) {
  return paths.empty() || std::find(paths.begin(), paths.end(), "-") != paths.end();
}

void check_one_reads_input(std::initializer_list<std::pair<std::string_view, bool>> readers) {
  std::string_view first;
  for (const auto& [name, reads] : readers) {
    if (!reads) continue;
    if (!first.empty())
      throw UsageError(std::string(first) + ": standard input holds " + std::string(name) + " (name a file)");
    first = name;
  }
}

std::optional<std::int64_t> column_number(const std::string& text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number < 1) return std::nullopt;
  return number;
}

Option add_column_option(CommandLine& line, LineReaderSettings& settings) {
  return line
      .add_option("--column", settings.column, "read this column of each line, from 1; TABs separate columns")
      .group("Input")
      .shown_as("N")
      .check([](const std::string& text) -> std::string {
        return column_number(text) ? "" : quote(text) + " is not the number of a column (they count from 1)";
      });
}

Option add_replace_invalid_option(CommandLine& line, LineReaderSettings& settings) {
  settings.invalid_fix += ", or try --replace-invalid";
  return line.add_flag("--replace-invalid", settings.replace_invalid,
                       "turn invalid UTF-8 and NUL into U+FFFD");
}

}  // namespace headwater::cli
