#include "text/tokenizer_learner.hpp"

#include "support/error.hpp"
#include "text/token_lines.hpp"
#include "text/tokenizer_json.hpp"
#include "text/words.hpp"

namespace headwater {
namespace {

std::vector<std::string> special_tokens(const WordTokenizerSettings& settings) {
  std::vector<std::string> all = {std::string(kPadToken), std::string(kUnknownToken)};
  if (settings.has_start_end) {
    all.emplace_back(kStartToken);
    all.emplace_back(kEndToken);
  }
  return all;
}

// LF separates, and characters skip it too.
PieceCounter::Count counting(const WordTokenizerSettings& settings) {
  ByteMap map = byte_map(settings.standardize, settings.split);
  map['\n'] = kSeparator;
  return [settings, map](std::string_view lines, WordTable& counts) {
    std::string scratch;
    lines = standardize_code_points(lines, settings.standardize, scratch);
    for_each_token(settings.split, lines, map, [&](std::string_view token) { ++counts.value(token); });
  };
}

}  // namespace

TokenizerLearner::TokenizerLearner(const WordTokenizerSettings& settings)
    : settings_(settings), counter_(counting(settings)) {
  const auto special = static_cast<std::int64_t>(special_tokens(settings).size());
  if (settings.size <= special || settings.size > 0x7FFFFFFF) {
    throw UsageError("size: " + std::to_string(settings.size) + " is not in " + std::to_string(special + 1) +
                     " .. 2147483647 (" + std::to_string(special) + " special tokens count)");
  }
}

Tokenizer TokenizerLearner::finish(Summary* summary) {
  WordTable counts = counter_.finish();
  std::vector<std::string> surfaces = special_tokens(settings_);
  const std::size_t special_count = surfaces.size();
  Summary figures;
  for (const WordTable::Entry& entry : counts.entries()) {
    figures.tokens += entry.value;
    ++figures.distinct;
    if (breaks_lines(entry.word()))
      counts.value(entry.word()) = 0;  // TAB and CR, as characters: they stay unknown
  }
  if (figures.tokens == 0) throw Error("no tokens to learn from (the input is empty)");
  for (const std::string& token : surfaces) {  // text that spells a special token stays unknown
    if (const WordTable::Entry* entry = counts.find(token); entry != nullptr) counts.value(entry->word()) = 0;
  }
  for (const WordTable::Entry& entry :
       most_frequent(counts, static_cast<std::size_t>(settings_.size) - special_count)) {
    if (entry.value == 0) break;
    surfaces.emplace_back(entry.word());
    figures.covered += entry.value;
  }
  if (summary != nullptr) *summary = figures;
  return Tokenizer::parse(
      word_tokenizer_json(settings_.standardize, settings_.split, surfaces, special_count),
      "learned tokenizer");
}

}  // namespace headwater
