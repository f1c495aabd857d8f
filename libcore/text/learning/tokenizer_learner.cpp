#include "text/learning/tokenizer_learner.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "text/tokenizer/token_lines.hpp"
#include "text/tokenizer/tokenizer_json.hpp"

namespace headwater {
namespace {

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

std::string learn_words(const WordTokenizerSettings& settings, WordTable& counts,
                        TokenizerLearner::Summary& figures) {
  std::vector<std::string> surfaces =
      special_tokens(true, settings.has_start_end, settings.text_template, settings.more_special);
  const std::size_t special_count = surfaces.size();
  for (const WordTable::Entry& entry : counts.entries()) {
    if (breaks_lines(entry.word()))
      counts.value(entry.word()) = 0;  // TAB and CR, as characters: they stay unknown
  }
  for (const std::string& token : surfaces) {  // text that spells a special token stays unknown
    if (const WordTable::Entry* entry = counts.find(token); entry != nullptr) counts.value(entry->word()) = 0;
  }
  for (const WordTable::Entry& entry :
       most_frequent(counts, static_cast<std::size_t>(settings.size) - special_count)) {
    if (entry.value == 0) break;
    surfaces.emplace_back(entry.word());
    figures.covered += entry.value;
  }
  return word_tokenizer_json(settings.standardize, settings.split, surfaces, special_count,
                             settings.text_template);
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
    : TokenizerLearner(counting(settings), [settings](WordTable& counts, Summary& figures) {
        return learn_words(settings, counts, figures);
      }) {
  check_vocabulary_size(
      settings.size,
      special_tokens(true, settings.has_start_end, settings.text_template, settings.more_special).size());
}

Tokenizer TokenizerLearner::finish(Summary* summary) {
  WordTable counts = counter_.finish();
  Summary figures;
  for (const WordTable::Entry& entry : counts.entries()) figures.tokens += entry.value;
  figures.distinct = counts.size();
  if (figures.tokens == 0) throw Error("no tokens to learn from (the input is empty)");
  const std::string json = learn_(counts, figures);
  if (summary != nullptr) *summary = figures;
  return Tokenizer::parse(json, "learned tokenizer");
}

}  // namespace headwater
