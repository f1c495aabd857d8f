// Counted pieces as text: what parts of a corpus give, counted apart, and one tokenizer is learned from.
#include "cli/result_file.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "text/learning/piece_counts.hpp"
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
  const Kind& kind = find_kind(s.kind);
  if (kind.splits_punctuation) settings.set("split_punctuation", s.split_punctuation);
  if (kind.has_suffix) settings.set("words", s.end_of_word_suffix.empty() ? "marked" : "split");
  if (!s.user_defined_symbols.empty()) {
    const std::vector<std::string>& symbols = s.user_defined_symbols;
    settings.set("user_defined_symbols", Json::Array(symbols.begin(), symbols.end()));
  }
  return std::string(kCountsMark) + settings.dump();
}

}  // namespace

void write_counts(const Options& o, const PieceCounts& counts) {
  cli::write_result_file(o.counts, [&](const cli::TakePiece& take) {
    constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
    std::string text = counts_header(o.learn);
    text.push_back('\n');
    counts.for_each_by_bytes([&](const WordTable::Entry& entry) {
      append_counted_piece(text, entry.word(), entry.value);
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
      const CountedPiece counted = parse_counted_piece(line);
      if (counted.piece <= last) throw Error(" pieces are not in the order of their bytes");
      last = counted.piece;
      learner.add(counted.piece, counted.count);
    } catch (const Error& error) {
      throw Error(cli::at_place(reader.place(), error.what()));
    }
  }
}

}  // namespace headwater::tokenize
