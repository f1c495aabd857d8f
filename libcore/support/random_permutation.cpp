#include "support/random_permutation.hpp"

namespace headwater {

RandomPermutation::RandomPermutation(const RandomStream& stream, std::uint64_t count)
    : stream_(stream), count_(count) {
  while (left_ * left_ < count_) left_ *= 2;  // then down to the least whose square is enough
  std::uint64_t low = left_ / 2;
  while (left_ > low + 1) {
    const std::uint64_t middle = (low + left_) / 2;
    (middle * middle < count_ ? low : left_) = middle;
  }
  if (count_ > 0) right_ = (count_ + left_ - 1) / left_;
}

std::uint64_t RandomPermutation::operator[](std::uint64_t at) const {
  constexpr std::uint64_t kRounds = 8;
  std::uint64_t x = at;
  do {
    std::uint64_t left = x / right_, right = x % right_;
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      if (round % 2 == 0) {
        left = (left + random_below(stream_, right * kRounds + round, left_)) % left_;
      } else {
        right = (right + random_below(stream_, left * kRounds + round, right_)) % right_;
      }
    }
    x = left * right_ + right;
  } while (x >= count_);
  return x;
}

}  // namespace headwater
