#include "metrics/ngram_overlap.hpp"

#include <algorithm>
#include <bit>

namespace headwater {

namespace {

constexpr std::uint32_t kAbsent = 0xFFFFFFFFu;  // no n-gram of the hypothesis

std::size_t slot_of(std::uint64_t key, std::size_t mask) {
  return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15u) >> 32) & mask;
}

}  // namespace

std::uint32_t WordNumbers::operator()(std::string_view word) {
  return numbers_.try_emplace(word, static_cast<std::uint32_t>(numbers_.size())).first->second;
}

void NgramOverlap::begin_order(std::size_t max_ngrams) {
  const std::size_t wanted = std::bit_ceil(std::max<std::size_t>(64, 2 * max_ngrams));
  if (slots_.size() < wanted) {
    slots_.assign(wanted, {});
    generation_ = 0;
  }
  if (++generation_ == 0) {  // wrapped: marks of earlier generations would look current
    slots_.assign(slots_.size(), {});
    generation_ = 1;
  }
  ids_ = 0;
}

std::uint32_t NgramOverlap::find(std::uint64_t key) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t s = slot_of(key, mask); slots_[s].generation == generation_; s = (s + 1) & mask) {
    if (slots_[s].key == key) return slots_[s].id;
  }
  return kAbsent;
}

std::uint32_t NgramOverlap::find_or_add(std::uint64_t key) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t s = slot_of(key, mask);
  for (; slots_[s].generation == generation_; s = (s + 1) & mask) {
    if (slots_[s].key == key) return slots_[s].id;
  }
  slots_[s] = {key, ids_, generation_};
  return ids_++;
}

NgramCounts NgramOverlap::matches(std::span<const std::uint32_t> hypothesis,
                                  std::span<const std::vector<std::uint32_t>> references, int orders) {
  NgramCounts matched{};
  hypothesis_ids_.assign(hypothesis.size(), 0);
  std::size_t reference_symbols = 0;
  for (const auto& reference : references) reference_symbols += reference.size();
  reference_ids_.assign(reference_symbols, 0);

  // The n-gram at i is the pair (id of the (n-1)-gram at i, symbol at i + n - 1). Only n-grams of the
  // hypothesis get ids.
  for (int n = 1; n <= orders; ++n) {
    const std::size_t count = ngrams_in(hypothesis.size(), n);
    if (count == 0) break;
    begin_order(count);
    hypothesis_counts_.assign(count, 0);
    reference_counts_.assign(count, 0);
    largest_.assign(count, 0);
    const std::size_t last = n - 1;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t key = std::uint64_t{hypothesis_ids_[i]} << 32 | hypothesis[i + last];
      hypothesis_ids_[i] = find_or_add(key);
      ++hypothesis_counts_[hypothesis_ids_[i]];
    }
    std::size_t begin = 0;
    for (const auto& reference : references) {
      const std::size_t in_reference = ngrams_in(reference.size(), n);
      const std::span<std::uint32_t> ids(reference_ids_.data() + begin, in_reference);
      for (std::size_t i = 0; i < in_reference; ++i) {
        if (ids[i] == kAbsent) continue;
        ids[i] = find(std::uint64_t{ids[i]} << 32 | reference[i + last]);
        if (ids[i] != kAbsent) ++reference_counts_[ids[i]];
      }
      for (const std::uint32_t id : ids) {
        if (id == kAbsent) continue;
        largest_[id] = std::max(largest_[id], reference_counts_[id]);
        reference_counts_[id] = 0;
      }
      begin += reference.size();
    }
    for (std::size_t id = 0; id < ids_; ++id) matched[last] += std::min(hypothesis_counts_[id], largest_[id]);
  }
  return matched;
}

}  // namespace headwater
