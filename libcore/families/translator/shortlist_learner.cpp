#include "families/translator/shortlist_learner.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "data/word_translations.hpp"
#include "support/parallel.hpp"

namespace headwater {

namespace {

constexpr std::int64_t kIterations = 5;     // as in fast_align
constexpr std::int64_t kMeasured = 10'000;  // pairs

// What is chosen after the start token.
std::span<const std::int32_t> chosen(std::span<const std::int32_t> target) { return target.subspan(1); }

std::vector<std::vector<std::uint32_t>> lists_of(const WordTranslations& words, std::int64_t sources,
                                                 std::int32_t end, const ShortlistSettings& settings) {
  std::vector<std::int32_t> always =
      words.best_of(words.empty_word(), static_cast<std::size_t>(settings.first));
  always.push_back(end);
  std::vector<std::vector<std::uint32_t>> lists(static_cast<std::size_t>(sources));
  parallel_for(sources, [&](std::int64_t source) {
    std::vector<std::uint32_t>& list = lists[static_cast<std::size_t>(source)];
    list.assign(always.begin(), always.end());
    for (const std::int32_t token : words.best_of(source, static_cast<std::size_t>(settings.best)))
      list.push_back(static_cast<std::uint32_t>(token));
    std::ranges::sort(list);
    const auto repeated = std::ranges::unique(list);
    list.erase(repeated.begin(), repeated.end());
  });
  return lists;
}

void measure(const TokenDataset& pairs, const Shortlist& shortlist, LearnedShortlist& learned) {
  const std::int64_t examples = pairs.examples(), count = std::min(examples, kMeasured);
  struct Counts {
    std::size_t listed = 0, tokens = 0, covered = 0;
  };
  std::vector<Counts> of_pairs(static_cast<std::size_t>(count));
  parallel_for(count, [&](std::int64_t i) {
    const std::int64_t example = i * examples / count;
    const std::vector<std::int32_t> list = shortlist.tokens_for(pairs.ids(0, example));
    const std::span<const std::int32_t> target = chosen(pairs.ids(1, example));
    const auto covered = std::ranges::count_if(
        target, [&](std::int32_t token) { return std::ranges::binary_search(list, token); });
    of_pairs[static_cast<std::size_t>(i)] = {list.size(), target.size(), static_cast<std::size_t>(covered)};
  });
  Counts all;
  for (const Counts& one : of_pairs) {
    all.listed += one.listed;
    all.tokens += one.tokens;
    all.covered += one.covered;
  }
  learned.tokens = static_cast<double>(all.listed) / static_cast<double>(count);
  learned.coverage = static_cast<double>(all.covered) / static_cast<double>(all.tokens);
}

}  // namespace

LearnedShortlist learn_shortlist(const TokenDataset& pairs, const LoadedTranslator& model,
                                 const ShortlistSettings& settings) {
  const ShortlistVocabularies vocabularies =
      shortlist_vocabularies(model.source_tokenizer, model.target_tokenizer);
  WordTranslations words(model.source_tokenizer.vocabulary_size(), model.target_tokenizer.vocabulary_size());
  for (std::int64_t i = 0; i < pairs.examples(); ++i) words.add(pairs.ids(0, i), chosen(pairs.ids(1, i)));
  words.learn(kIterations);
  LearnedShortlist learned;
  learned.bytes =
      shortlist_bytes(lists_of(words, vocabularies.source, model.ids.end, settings), vocabularies);
  measure(pairs, read_shortlist(learned.bytes, "shortlist", vocabularies), learned);
  return learned;
}

}  // namespace headwater
