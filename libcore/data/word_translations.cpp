#include "data/word_translations.hpp"

#include <algorithm>
#include <limits>

#include "support/error.hpp"
#include "support/parallel.hpp"

namespace headwater {

namespace {

// Tasks are many, as the work of a token is as large as the token is frequent. Each needs a number for each
// target token.
constexpr std::int64_t kTasks = 128;

// body(i, sums) for each i below `count`, on all threads; task t takes t, t + kTasks and so on.
template <class Body>
void for_each_with_sums(std::size_t count, std::size_t sums_of, const Body& body) {
  parallel_for(kTasks, [&](std::int64_t task) {
    std::vector<double> sums(sums_of);
    for (std::size_t i = task; i < count; i += kTasks) body(i, sums);
  });
}

}  // namespace

WordTranslations::WordTranslations(std::int64_t source_tokens, std::int64_t target_tokens)
    : target_tokens_(static_cast<std::size_t>(target_tokens)),
      rows_(static_cast<std::size_t>(source_tokens) + 1) {}

void WordTranslations::Side::add(std::span<const std::int32_t> ids) {
  std::vector<std::int32_t> sorted(ids.begin(), ids.end());
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i == 0 || sorted[i] != sorted[i - 1]) counts.push_back({sorted[i], 0});
    ++counts.back().times;
  }
  ends.push_back(counts.size());
}

void WordTranslations::add(std::span<const std::int32_t> source, std::span<const std::int32_t> target) {
  if (sources_.ends.size() > std::numeric_limits<std::uint32_t>::max())
    throw Error("more than 4,294,967,295 pairs to learn translations of words from (give fewer)");
  sources_.add(source);
  sources_.counts.push_back({static_cast<std::int32_t>(empty_word()), 1});
  sources_.ends.back() = sources_.counts.size();
  targets_.add(target);
}

// The sentences of each source token, in their order.
void WordTranslations::find_places() {
  place_ends_.assign(rows_.size() + 1, 0);
  for (const Count& count : sources_.counts) ++place_ends_[static_cast<std::size_t>(count.token) + 1];
  for (std::size_t i = 1; i < place_ends_.size(); ++i) place_ends_[i] += place_ends_[i - 1];
  std::vector<std::size_t> next(place_ends_.begin(), place_ends_.end() - 1);
  places_.resize(sources_.counts.size());
  for (std::size_t sentence = 0; sentence + 1 < sources_.ends.size(); ++sentence) {
    for (const Count& count : sources_[sentence])
      places_[next[count.token]++] = {static_cast<std::uint32_t>(sentence), count.times};
  }
}

// Of each target token of a sentence: how often it occurs, divided by the sum of its probabilities.
void WordTranslations::divide_targets(std::size_t sentence, std::vector<double>& sums) {
  const std::span<const Count> targets = targets_[sentence];
  std::fill_n(sums.begin(), targets.size(), 0.0);
  for (const Count& source : sources_[sentence]) {
    const Row& row = rows_[source.token];
    auto at = row.targets.begin();
    for (std::size_t i = 0; i < targets.size(); ++i) {
      std::size_t place = targets[i].token;
      if (!row.targets.empty()) {
        at = std::lower_bound(at, row.targets.end(), targets[i].token);
        place = static_cast<std::size_t>(at - row.targets.begin());
      }
      sums[i] += source.times * static_cast<double>(row.probabilities[place]);
    }
  }
  for (std::size_t i = 0; i < targets.size(); ++i)
    shares_[targets_.ends[sentence] + i] = static_cast<float>(targets[i].times / sums[i]);
}

// Of the target tokens with a sum: all equal.
void WordTranslations::begin_row(Row& row, const std::vector<double>& sums) const {
  std::vector<std::int32_t> targets;
  for (std::size_t target = 0; target < target_tokens_; ++target) {
    if (sums[target] > 0) targets.push_back(static_cast<std::int32_t>(target));
  }
  const bool has_many = 4 * targets.size() >= target_tokens_;
  row.probabilities.assign(has_many ? target_tokens_ : targets.size(), 1);
  if (!has_many) row.targets.assign(targets.begin(), targets.end());
}

// The probabilities of one source token, by how much of each target token it explains. `sums` are 0, and are
// so again afterwards.
void WordTranslations::update(std::size_t source, std::vector<double>& sums) {
  const std::size_t begin = place_ends_[source], end = place_ends_[source + 1];
  if (begin == end) return;
  for (std::size_t i = begin; i < end; ++i) {
    const auto [sentence, times] = places_[i];
    for (std::size_t at = targets_.ends[sentence]; at < targets_.ends[sentence + 1]; ++at)
      sums[targets_.counts[at].token] += times * static_cast<double>(shares_[at]);
  }
  Row& row = rows_[source];
  if (row.probabilities.empty()) begin_row(row, sums);
  double total = 0;
  for (std::size_t i = 0; i < row.probabilities.size(); ++i)
    total += sums[row.target(i)] *= static_cast<double>(row.probabilities[i]);
  for (std::size_t i = 0; i < row.probabilities.size(); ++i) {
    double& sum = sums[row.target(i)];
    row.probabilities[i] = static_cast<float>(sum / total);
    sum = 0;
  }
}

void WordTranslations::learn(std::int64_t iterations) {
  find_places();
  shares_.resize(targets_.counts.size());
  const std::size_t sentences = sources_.ends.size() - 1;
  for (std::size_t sentence = 0; sentence < sentences; ++sentence) {  // of equal probabilities
    std::int64_t length = 0;
    for (const Count& source : sources_[sentence]) length += source.times;
    for (std::size_t at = targets_.ends[sentence]; at < targets_.ends[sentence + 1]; ++at)
      shares_[at] = static_cast<float>(targets_.counts[at].times) / static_cast<float>(length);
  }
  for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
    const auto with_sums = [&](std::size_t count, const auto& body) {
      for_each_with_sums(count, target_tokens_, body);
    };
    if (iteration > 0)
      with_sums(sentences, [&](std::size_t i, std::vector<double>& sums) { divide_targets(i, sums); });
    with_sums(rows_.size(), [&](std::size_t i, std::vector<double>& sums) { update(i, sums); });
  }
}

std::vector<WordTranslations::Candidate> WordTranslations::of(std::int64_t source) const {
  const Row& row = rows_[source];
  std::vector<Candidate> all;
  for (std::size_t i = 0; i < row.probabilities.size(); ++i) {
    if (row.probabilities[i] > 0) all.push_back({row.target(i), row.probabilities[i]});
  }
  return all;
}

std::vector<std::int32_t> WordTranslations::best_of(std::int64_t source, std::size_t most) const {
  const std::vector<Candidate> all = of(source);
  std::vector<Candidate> best(std::min(most, all.size()));
  std::ranges::partial_sort_copy(all, best, [](const Candidate& a, const Candidate& b) {
    return a.probability != b.probability ? a.probability > b.probability : a.target < b.target;
  });
  std::vector<std::int32_t> tokens;
  for (const Candidate& one : best) tokens.push_back(one.target);
  return tokens;
}

}  // namespace headwater
