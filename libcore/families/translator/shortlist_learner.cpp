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
// A source token that stands in the pairs less often has no list.
constexpr std::int64_t kFewest = 5;

// What is chosen after the start token.
std::span<const std::int32_t> chosen(std::span<const std::int32_t> target) { return target.subspan(1); }

std::vector<std::vector<std::uint32_t>> lists_of(const WordTranslations& words,
                                                 const std::vector<std::int64_t>& uses, std::int32_t end,
                                                 const ShortlistSettings& settings) {
  const std::int64_t sources = std::ssize(uses);
  std::vector<std::int32_t> always =
      words.best_of(words.empty_word(), static_cast<std::size_t>(settings.first));
  always.push_back(end);
  std::vector<std::vector<std::uint32_t>> lists(sources);
  parallel_for(sources, [&](std::int64_t source) {
    if (uses[source] < kFewest) return;
    std::vector<std::uint32_t>& list = lists[source];
    list.assign(always.begin(), always.end());
    for (const std::int32_t token : words.best_of(source, static_cast<std::size_t>(settings.best)))
      list.push_back(static_cast<std::uint32_t>(token));
    std::ranges::sort(list);
    const auto repeated = std::ranges::unique(list);
    list.erase(repeated.begin(), repeated.end());
  });
  return lists;
}

std::vector<std::int64_t> uses_of_sources(const TokenDataset& pairs, std::int64_t sources) {
  std::vector<std::int64_t> uses(sources);
  for (std::int64_t i = 0; i < pairs.examples(); ++i) {
    for (const std::int32_t token : pairs.ids(0, i)) {
      if (token < sources) ++uses[token];
    }
  }
  return uses;
}

void measure(const TokenDataset& pairs, const Shortlist& shortlist, LearnedShortlist& learned) {
  const std::int64_t examples = pairs.examples(), count = std::min(examples, kMeasured);
  struct Counts {
    std::size_t listed = 0, tokens = 0, covered = 0;
  };
  std::vector<Counts> of_pairs(count);
  parallel_for(count, [&](std::int64_t i) {
    const std::int64_t example = i * examples / count;
    const std::vector<std::int32_t> list = shortlist.tokens_for(pairs.ids(0, example));
    const std::span<const std::int32_t> target = chosen(pairs.ids(1, example));
    const auto covered = std::ranges::count_if(
        target, [&](std::int32_t token) { return std::ranges::binary_search(list, token); });
    of_pairs[i] = {list.size(), target.size(), static_cast<std::size_t>(covered)};
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
  const std::vector<std::int64_t> uses = uses_of_sources(pairs, vocabularies.source);
  LearnedShortlist learned;
  const Tokenizer& tokenizer = model.source_tokenizer;
  for (std::int32_t id = 0; id < vocabularies.source; ++id) {
    const bool is_of_texts = !tokenizer.is_special(id) && id != tokenizer.unknown_id();
    learned.without_list += is_of_texts && uses[id] < kFewest ? 1 : 0;
  }
  learned.bytes = shortlist_bytes(lists_of(words, uses, model.ids.end, settings), vocabularies);
  measure(pairs, read_shortlist(learned.bytes, "shortlist", vocabularies), learned);
  return learned;
}

}  // namespace headwater
