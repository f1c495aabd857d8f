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

// The same for examples that lie in a file larger than memory, whose neighbours are taken together: a
// permutation of 0 .. count - 1 of which any `window` numbers in a row come from few places. The numbers
// are cut into blocks of max(1, window / 64); blocks stand in the order of a RandomPermutation, 64 of them
// (window, where it is less) are a window, and within each window numbers stand in the order of another one.
// A window of `count` or more shuffles all. Streams of the permutations: layer, and layer + 1 + the number of
// the window.
class BlockShuffle {
 public:
  // window >= 1.
  BlockShuffle(const RandomStream& stream, std::uint64_t count, std::uint64_t window);
  std::uint64_t count() const { return count_; }
  std::uint64_t block() const { return block_; }
  std::uint64_t operator[](std::uint64_t at) const;

 private:
  // The place at which block number `number` in the order of blocks begins.
  std::uint64_t begin_of(std::uint64_t number) const;

  RandomStream stream_;
  std::uint64_t count_, block_, blocks_of_window_;
  RandomPermutation order_;          // of the blocks
  std::uint64_t missing_ = 0;        // numbers that the last block lacks
  std::uint64_t place_of_last_ = 0;  // in the order of the blocks, where it lacks any
};

}  // namespace headwater
