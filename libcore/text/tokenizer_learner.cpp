#include "text/tokenizer_learner.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "support/parallel.hpp"
#include "text/token_lines.hpp"
#include "text/tokenizer_json.hpp"

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

// Begins of blocks of whole lines of at least `bytes` each, and the end of the text.
std::vector<std::size_t> cuts_at_lines(std::string_view lines, std::size_t bytes) {
  std::vector<std::size_t> cuts = {0};
  while (lines.size() - cuts.back() > bytes) {
    const std::size_t end = lines.find('\n', cuts.back() + bytes);
    if (end == lines.npos) break;
    cuts.push_back(end + 1);
  }
  cuts.push_back(lines.size());
  return cuts;
}

}  // namespace

std::vector<WordTable::Entry> most_frequent(const WordTable& counts, std::size_t most) {
  std::vector<WordTable::Entry> entries = counts.entries();
  const auto before = [](const WordTable::Entry& a, const WordTable::Entry& b) {
    return a.value != b.value ? a.value > b.value : a.word() > b.word();
  };
  most = std::min(most, entries.size());
  const auto middle = entries.begin() + static_cast<std::ptrdiff_t>(most);
  std::partial_sort(entries.begin(), middle, entries.end(), before);
  entries.erase(middle, entries.end());
  return entries;
}

TokenizerLearner::TokenizerLearner(const WordTokenizerSettings& settings)
    : settings_(settings), map_(byte_map(settings.standardize, settings.split)) {
  const auto special = static_cast<std::int64_t>(special_tokens(settings).size());
  if (settings.size <= special || settings.size > 0x7FFFFFFF) {
    throw UsageError("size: " + std::to_string(settings.size) + " is not in " + std::to_string(special + 1) +
                     " .. 2147483647 (" + std::to_string(special) + " special tokens count)");
  }
  map_['\n'] = kSeparator;  // characters skip it too
}

void TokenizerLearner::count(std::string_view lines, WordTable& counts) const {
  std::string scratch;
  lines = standardize_code_points(lines, settings_.standardize, scratch);
  for_each_token(settings_.split, lines, map_, [&](std::string_view token) { ++counts.value(token); });
}

void TokenizerLearner::add(std::string_view lines) {
  constexpr std::size_t kChunkBytes = std::size_t{256} << 10;
  const std::vector<std::size_t> cuts = cuts_at_lines(lines, kChunkBytes);
  parallel_for(static_cast<std::int64_t>(cuts.size()) - 1, [&](std::int64_t i) {
    const auto chunk = static_cast<std::size_t>(i);
    std::unique_ptr<WordTable> table;
    {
      const std::lock_guard lock(mutex_);
      if (!tables_.empty()) {
        table = std::move(tables_.back());
        tables_.pop_back();
      }
    }
    if (!table) table = std::make_unique<WordTable>();
    count(lines.substr(cuts[chunk], cuts[chunk + 1] - cuts[chunk]), *table);
    const std::lock_guard lock(mutex_);
    tables_.push_back(std::move(table));
  });
}

Tokenizer TokenizerLearner::finish(Summary* summary) {
  if (tables_.empty()) tables_.push_back(std::make_unique<WordTable>());
  WordTable& counts = *tables_.front();
  while (tables_.size() > 1) {
    for (const WordTable::Entry& entry : tables_.back()->entries()) counts.value(entry.word()) += entry.value;
    tables_.pop_back();
  }
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
