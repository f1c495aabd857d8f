#include "metrics/common_subsequence.hpp"

#include <algorithm>
#include <bit>

namespace headwater {

void CommonSubsequence::note_places(std::span<const std::uint32_t> a) {
  const std::size_t symbols = std::size_t{*std::max_element(a.begin(), a.end())} + 1;
  begin_.assign(symbols + 1, 0);
  for (const std::uint32_t s : a) ++begin_[s + 1];
  for (std::size_t s = 0; s < symbols; ++s) begin_[s + 1] += begin_[s];
  places_.resize(a.size());
  std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
  for (std::size_t i = 0; i < a.size(); ++i) places_[next[a[i]]++] = static_cast<std::uint32_t>(i);

  // A symbol that is rarer than the words of a row has its bits set for each use; the few others keep a row.
  words_ = (a.size() + 63) / 64;
  rare_.assign(words_, 0);
  row_of_.assign(symbols, -1);
  rows_.clear();
  for (std::size_t s = 0; s < symbols; ++s) {
    if (begin_[s + 1] - begin_[s] <= words_) continue;
    row_of_[s] = static_cast<std::int32_t>(rows_.size() / words_);
    rows_.resize(rows_.size() + words_);
    std::uint64_t* const row = rows_.data() + rows_.size() - words_;
    for (std::uint32_t p = begin_[s]; p < begin_[s + 1]; ++p)
      row[places_[p] / 64] |= std::uint64_t{1} << (places_[p] % 64);
  }
}

// Bit i: a[i] is the symbol. Good until the next call.
const std::uint64_t* CommonSubsequence::places_of(std::uint32_t symbol) {
  if (row_of_[symbol] >= 0) return rows_.data() + static_cast<std::size_t>(row_of_[symbol]) * words_;
  for (std::uint32_t p = begin_[symbol]; p < begin_[symbol + 1]; ++p)
    rare_[places_[p] / 64] |= std::uint64_t{1} << (places_[p] % 64);
  return rare_.data();
}

// A column of the table of lengths at a time, its steps as bits (Crochemore et al. 2001, Hyyrö 2004): bit i
// is 0 where the length of the subsequence grows at a[i]. A symbol v of b turns V into (V + (V & M)) | (V &
// ~M), M being the places of v in a.
std::int64_t CommonSubsequence::length(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  if (a.empty() || b.empty()) return 0;
  note_places(a);
  open_.assign(words_, ~std::uint64_t{0});
  for (const std::uint32_t symbol : b) {
    if (symbol >= row_of_.size() || begin_[symbol] == begin_[symbol + 1]) continue;
    const std::uint64_t* const places = places_of(symbol);
    std::uint64_t carry = 0;
    for (std::size_t w = 0; w < words_; ++w) {
      const std::uint64_t open = open_[w], matched = open & places[w];
      const std::uint64_t half = open + matched, sum = half + carry;
      carry = (half < open ? 1U : 0U) | (sum < half ? 1U : 0U);
      open_[w] = sum | (open & ~places[w]);
    }
    if (places == rare_.data()) {
      for (std::uint32_t p = begin_[symbol]; p < begin_[symbol + 1]; ++p) rare_[places_[p] / 64] = 0;
    }
  }
  std::int64_t closed = 0;  // bits past the end of a stay 1
  for (const std::uint64_t open : open_) closed += 64 - std::popcount(open);
  return closed;
}

}  // namespace headwater
