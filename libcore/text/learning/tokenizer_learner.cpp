#include "text/learning/tokenizer_learner.hpp"

#include <algorithm>
#include <utility>

#include "support/error.hpp"
#include "text/learning/user_symbols.hpp"
#include "text/tokenizer/token_lines.hpp"

namespace headwater {
namespace {

// LF separates, and characters skip it too.
PieceCounter::Count counting(const WordTokenizerSettings& settings) {
  ByteMap map = byte_map(settings.standardize, settings.split);
  map['\n'] = kSeparator;
  return [settings, map, symbols = UserSymbols(settings.user_defined_symbols)](std::string_view lines,
                                                                               WordTable& counts) {
    std::string apart, scratch;
    lines = standardize_code_points(symbols.cut(lines, apart), settings.standardize, scratch);
    for_each_token(settings.split, lines, map, [&](std::string_view token) { ++counts.value(token); });
  };
}

// Pieces with the highest counts: most_frequent() of those that come one by one.
class MostFrequent {
 public:
  explicit MostFrequent(std::size_t most) : most_(most) {}

  void add(const WordTable::Entry& entry) {
    if (best_.size() == most_ && !comes_first({entry.value, entry.word()}, view(best_.front()))) return;
    if (best_.size() == most_) {
      std::pop_heap(best_.begin(), best_.end(), before);
      best_.pop_back();
    }
    best_.push_back({entry.value, std::string(entry.word())});
    std::push_heap(best_.begin(), best_.end(), before);
  }
  struct Piece {
    std::uint64_t count;
    std::string surface;
  };
  // The first of them first.
  std::vector<Piece> take() {
    std::sort_heap(best_.begin(), best_.end(), before);
    return std::move(best_);
  }

 private:
  using View = std::pair<std::uint64_t, std::string_view>;
  static View view(const Piece& piece) { return {piece.count, piece.surface}; }
  static bool comes_first(const View& a, const View& b) { return a > b; }
  static bool before(const Piece& a, const Piece& b) { return comes_first(view(a), view(b)); }

  std::size_t most_;
  std::vector<Piece> best_;  // a heap whose front is the last of them
};

std::vector<std::string> first_words(const WordTokenizerSettings& settings) {
  return first_surfaces(
      special_tokens(true, settings.has_start_end, settings.text_template, settings.more_special),
      settings.user_defined_symbols);
}

std::string learn_words(const WordTokenizerSettings& settings, const PieceCounts& counts,
                        TokenizerLearner::Summary& figures) {
  std::vector<std::string> surfaces = first_words(settings);
  const std::size_t special_count = surfaces.size();
  MostFrequent words(static_cast<std::size_t>(settings.size) - special_count);
  counts.for_each([&](const WordTable::Entry& entry) {
    // TAB and CR, as characters, stay unknown, and so does text that spells a special token.
    const std::string_view word = entry.word();
    if (!breaks_lines(word) && std::find(surfaces.begin(), surfaces.end(), word) == surfaces.end())
      words.add(entry);
  });
  for (MostFrequent::Piece& word : words.take()) {
    figures.covered += word.count;
    surfaces.push_back(std::move(word.surface));
  }
  return word_tokenizer_json(settings.standardize, settings.split, surfaces, special_count,
                             settings.text_template, settings.user_defined_symbols.size());
}

}  // namespace

void check_vocabulary_size(std::int64_t size, std::size_t special) {
  if (size > static_cast<std::int64_t>(special) && size <= 0x7FFFFFFF) return;
  throw UsageError("size: " + std::to_string(size) + " is not in " + std::to_string(special + 1) +
                   " .. 2147483647 (" + std::to_string(special) + " special tokens count)");
}

std::vector<std::string> special_tokens(bool has_unknown, bool has_start_end, TextTemplate text_template,
                                        const std::vector<std::string>& more) {
  std::vector<std::string> all = {std::string(kPadToken)};
  if (has_unknown) all.emplace_back(kUnknownToken);
  if (has_start_end) {
    all.emplace_back(kStartToken);
    all.emplace_back(kEndToken);
  }
  if (text_template == TextTemplate::bert) {
    for (const std::string_view token : {kClassToken, kSeparatorToken, kMaskToken}) all.emplace_back(token);
  }
  for (const std::string& token : more) {
    if (token.empty()) throw UsageError("special tokens: one is empty (write it as [SEP])");
    if (breaks_lines(token)) throw UsageError("special tokens: " + quote(token) + kBreaksLines);
    if (std::find(all.begin(), all.end(), token) == all.end()) all.push_back(token);
  }
  return all;
}

TokenizerLearner::TokenizerLearner(const WordTokenizerSettings& settings)
    : TokenizerLearner(
          counting(settings),
          [settings](PieceCounts& counts, Summary& figures) {
            return learn_words(settings, counts, figures);
          },
          settings.user_defined_symbols) {
  if (settings.split == SplitKind::word_and_punctuation && !settings.user_defined_symbols.empty())
    throw UsageError(
        "user_defined_symbols: not with split_punctuation, which would put spaces around them (leave one of "
        "them out)");
  check_vocabulary_size(settings.size, first_words(settings).size());
}

Tokenizer TokenizerLearner::finish(Summary* summary) {
  PieceCounts counts = counter_.finish();
  Summary figures;
  counts.for_each([&](const WordTable::Entry& entry) { figures.tokens += entry.value; });
  figures.distinct = counts.distinct();
  if (figures.tokens == 0) throw Error("no tokens to learn from (the input is empty)");
  const std::string json = learn_(counts, figures);
  if (summary != nullptr) *summary = figures;
  Tokenizer tokenizer = Tokenizer::parse(json, "learned tokenizer");
  for (const std::string& symbol : symbols_) {
    const std::vector<std::int32_t> once = tokenizer.encode(symbol);
    std::vector<std::int32_t> twice = once;
    twice.insert(twice.end(), once.begin(), once.end());
    if (const std::string joined = tokenizer.decode(twice);
        !joined.starts_with(symbol) || !joined.ends_with(symbol))
      throw UsageError("user_defined_symbols: " + quote(symbol) + " twice would be joined as " +
                       quote(joined) + " (choose another text)");
  }
  return tokenizer;
}

}  // namespace headwater
