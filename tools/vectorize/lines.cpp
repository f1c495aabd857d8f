#include <charconv>
#include <span>

#include "cli/tool.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "tools/vectorize/vectorize.hpp"

namespace headwater::vectorize {

void note_truncated(const Options& o, std::uint64_t cut, std::uint64_t all, std::size_t max_length) {
  if (cut == 0) return;
  const auto count = static_cast<std::int64_t>(cut);
  cli::warn(format_count(count) + " of " + counted(static_cast<std::int64_t>(all), "line") +
                (count == 1 ? " was" : " were") + " truncated to " +
                counted(static_cast<std::int64_t>(max_length), "id"),
            o.is_quiet);
}

void report_unknown(const Options& o, const TokenCounts& counts) {
  const double unknown = static_cast<double>(counts.unknown), tokens = static_cast<double>(counts.tokens);
  if (!o.max_unknown.empty() && unknown * 100 > tokens * percent_of(o.max_unknown)) {
    const ColumnTokenCounts column{"", counts};
    throw Error(cli::unknown_tokens(std::span(&column, 1)) + ", more than --max-unknown " + o.max_unknown +
                " (learn the tokenizer or the terms from text like this)");
  }
  cli::note_unknown_tokens(counts, o.is_quiet);
}

void append_number(std::string& out, std::int64_t number) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

std::string header(const std::string& hash, std::int64_t size, std::int64_t pad) {
  return "#ids v1 vocab=" + hash.substr(0, 16) + " size=" + std::to_string(size) +
         " pad=" + std::to_string(pad);
}

}  // namespace headwater::vectorize
