// The longest common subsequence of two sequences, what ROUGE-L counts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace headwater {

// With tables that are used again; one object a thread.
class CommonSubsequence {
 public:
  // Symbols are small numbers: a table has an entry for each up to the greatest. Time grows with the product
  // of the lengths, a 64th of it.
  std::int64_t length(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);

 private:
  void note_places(std::span<const std::uint32_t> a);
  const std::uint64_t* places_of(std::uint32_t symbol);

  std::vector<std::uint32_t> begin_, places_;  // places_[begin_[s]] .. places_[begin_[s + 1]]: where a has s
  std::vector<std::int32_t> row_of_;           // of a frequent symbol its row of rows_, else -1
  std::vector<std::uint64_t> rows_, rare_, open_;
  std::size_t words_ = 0;
};

}  // namespace headwater
