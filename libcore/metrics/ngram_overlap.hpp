// Clipped n-gram counts of a hypothesis against references: what BLEU and chrF are made of.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace headwater {

inline constexpr int kMaxNgramOrders = 6;
using NgramCounts = std::array<std::int64_t, kMaxNgramOrders>;

// Number of n-grams of order 1, 2, ... in a sequence of `length` symbols.
constexpr std::int64_t ngrams_in(std::size_t length, int order) {
  const auto n = static_cast<std::int64_t>(length) - order + 1;
  return n > 0 ? n : 0;
}

// Gives words small numbers, equal words equal ones. The words must outlive the numbering.
class WordNumbers {
 public:
  void clear() { numbers_.clear(); }
  std::uint32_t operator()(std::string_view word);

 private:
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
};

// Counts matches with tables that are used again for every sentence; one object a thread.
class NgramOverlap {
 public:
  // result[n - 1] = sum over the distinct n-grams g of the hypothesis of min(count in the hypothesis, largest
  // count in any reference), n = 1 .. orders (at most kMaxNgramOrders). Symbols are arbitrary numbers below
  // 2^32 - 1.
  NgramCounts matches(std::span<const std::uint32_t> hypothesis,
                      std::span<const std::vector<std::uint32_t>> references, int orders);

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t id = 0;
    std::uint32_t generation = 0;
  };
  std::uint32_t find(std::uint64_t key) const;
  std::uint32_t find_or_add(std::uint64_t key);
  void begin_order(std::size_t max_ngrams);

  std::vector<Slot> slots_;
  std::uint32_t generation_ = 0;
  std::uint32_t ids_ = 0;
  // ids of the n-grams that begin at each position: of the hypothesis, of the references one after the other
  std::vector<std::uint32_t> hypothesis_ids_, reference_ids_;
  std::vector<std::int64_t> hypothesis_counts_, reference_counts_, largest_;
};

}  // namespace headwater
