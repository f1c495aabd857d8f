// Which runs of symbols a text has, and where, in memory that does not grow with their number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "support/error.hpp"

namespace headwater {

// A suffix array (Manber and Myers 1990) of texts of symbols, a 0 after each: all places in the order of the
// runs of up to `longest` symbols that begin there. Refers to the symbols.
class SuffixArray {
 public:
  // Throws Error for 2^32 symbols or more.
  SuffixArray(std::span<const std::uint32_t> symbols, std::size_t longest)
      : symbols_(symbols), longest_(longest) {
    if (symbols.size() > std::numeric_limits<std::uint32_t>::max())
      throw Error("more than 4294967295 tokens or characters (learn from a part of the text)");
    places_.resize(symbols.size());
    std::iota(places_.begin(), places_.end(), std::uint32_t{0});
    std::sort(places_.begin(), places_.end(), [&](std::uint32_t a, std::uint32_t b) {
      const std::size_t same = shared(a, b);
      return same < longest_ && symbols_[a + same] < symbols_[b + same];
    });
  }

  // use(places, length) for each distinct run of 1 to `longest` symbols, none of them 0: where it begins.
  template <class Use>
  void for_each_run(const Use& use) const {
    std::vector<std::size_t> begins(longest_ + 1);  // of the places that share so many symbols up to here
    std::size_t open = 0;                           // the longest run that has begun
    for (std::size_t i = 0; i <= places_.size(); ++i) {
      const std::size_t same = i == 0 || i == places_.size() ? 0 : shared(places_[i - 1], places_[i]);
      for (; open > same; --open) use(std::span(places_).subspan(begins[open], i - begins[open]), open);
      if (i == places_.size()) break;
      const std::size_t length = run_at(places_[i]);
      while (open < length) begins[++open] = i;
    }
  }

 private:
  // How many symbols two places share, up to the end of a text.
  std::size_t shared(std::uint32_t a, std::uint32_t b) const {
    std::size_t same = 0;
    while (same < longest_ && symbols_[a + same] == symbols_[b + same] && symbols_[a + same] != 0) ++same;
    return same;
  }
  std::size_t run_at(std::uint32_t place) const {
    std::size_t length = 0;
    while (length < longest_ && symbols_[place + length] != 0) ++length;
    return length;
  }

  std::span<const std::uint32_t> symbols_;
  std::size_t longest_;
  std::vector<std::uint32_t> places_;
};

}  // namespace headwater
