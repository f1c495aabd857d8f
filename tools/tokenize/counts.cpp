// Counted pieces as text: what parts of a corpus give, counted apart, and one tokenizer is learned from.
#include <charconv>

#include "cli/result_file.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "text/tokenizer/token_lines.hpp"
#include "tools/tokenize/kinds.hpp"
#include "tools/tokenize/tokenize.hpp"

namespace headwater::tokenize {
namespace {

constexpr std::string_view kCountsMark = "#counts v1 ";

// All settings on which the counts depend: others may be chosen when the tokenizer is learned.
std::string counts_header(const TokenizerSettings& s) {
  Json settings;
  settings.set("kind", s.kind);
  settings.set("standardize", s.standardize);
  if (s.standardize != "none" && s.standardize != "strip_punctuation") settings.set("lower", s.lower);
  const Kind& kind = *find_kind(s.kind);
  if (kind.splits_punctuation) settings.set("split_punctuation", s.split_punctuation);
  if (kind.has_suffix) settings.set("words", s.end_of_word_suffix.empty() ? "marked" : "split");
  return std::string(kCountsMark) + settings.dump();
}

struct Counted {
  std::uint64_t count = 0;
  std::string piece;
};

Counted parse_count(std::string_view line) {
  Counted counted;
  const std::size_t tab = line.find('\t');
  const char* const end = line.data() + std::min(tab, line.size());
  const auto [stop, error] = std::from_chars(line.data(), end, counted.count);
  if (tab == line.npos || error != std::errc() || stop != end || counted.count == 0 ||
      counted.count > std::uint64_t{1} << 60)
    throw Error(" expected a count, a TAB and a piece, found " + quote(line));
  const std::vector<std::string> pieces = tokens_of_line(line.substr(tab + 1));
  if (pieces.size() != 1) throw Error(" expected one piece, found " + quote(line.substr(tab + 1)));
  counted.piece = pieces.front();
  return counted;
}

}  // namespace

void write_counts(const Options& o, const PieceCounts& counts) {
  cli::write_result_file(o.counts, [&](const cli::TakePiece& take) {
    constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
    std::string text = counts_header(o.learn);
    text.push_back('\n');
    counts.for_each_by_bytes([&](const WordTable::Entry& entry) {
      (text += std::to_string(entry.value)).push_back('\t');
      append_token(text, text.size(), entry.word());
      text.push_back('\n');
      if (text.size() < kPieceBytes) return;
      take(text);
      text.clear();
    });
    take(text);
  });
}

void add_counts(const Options& o, TokenizerLearner& learner) {
  cli::LineReader reader(o.texts, o.reader);
  reader.show_progress(o.is_quiet, cli::LineReader::Writes::at_the_end);
  const std::string header = counts_header(o.learn);
  std::string last;
  std::string_view line;
  while (reader.next(line)) {
    if (reader.place().ends_with(":1")) {
      if (!line.starts_with(kCountsMark))
        throw Error(reader.place() + ": no file of counts (make one with --learn " + o.learn.kind +
                    " --counts FILE)");
      if (line != header)
        throw Error(reader.place() + ": counted with " + quote(line.substr(kCountsMark.size())) +
                    ", wanted is " + quote(header.substr(kCountsMark.size())) +
                    " (count and merge with the same options)");
      last.clear();
      continue;
    }
    try {
      const Counted counted = parse_count(line);
      if (counted.piece <= last) throw Error(" pieces are not in the order of their bytes");
      last = counted.piece;
      learner.add(counted.piece, counted.count);
    } catch (const Error& error) {
      throw Error(cli::at_place(reader.place(), error.what()));
    }
  }
}

}  // namespace headwater::tokenize
