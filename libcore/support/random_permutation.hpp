// An order of very many things that is computed place by place: nothing of it is held.
#pragma once

#include <cstdint>

#include "support/random.hpp"

namespace headwater {

// A permutation of 0 .. count - 1 that depends on the stream and the count alone. A number x is two digits,
// x = left · b + right with a = ceil(sqrt(count)) values of left and b = ceil(count / a) of right. Eight
// rounds of a Feistel network add to one digit a random number of the other (Black and Rogaway 2002): round r
// adds random_below(stream, 8 · digit + r, base of the changed one), to left where r is even. What comes out
// beyond the count goes through again.
class RandomPermutation {
 public:
  RandomPermutation(const RandomStream& stream, std::uint64_t count);
  std::uint64_t count() const { return count_; }
  std::uint64_t operator[](std::uint64_t at) const;

 private:
  RandomStream stream_;
  std::uint64_t count_, left_ = 1, right_ = 1;  // values of the digits
};

}  // namespace headwater
