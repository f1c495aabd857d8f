#include "support/random_permutation.hpp"

#include <algorithm>

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

static constexpr std::uint64_t kBlocksOfWindow = 64;

BlockShuffle::BlockShuffle(const RandomStream& stream, std::uint64_t count, std::uint64_t window)
    : stream_(stream),
      count_(count),
      block_(std::max<std::uint64_t>(1, window / kBlocksOfWindow)),
      blocks_of_window_(std::min(window, kBlocksOfWindow)),
      order_(stream, (count + block_ - 1) / block_) {
  missing_ = order_.count() * block_ - count_;
  if (missing_ == 0) return;
  while (order_[place_of_last_] + 1 < order_.count()) ++place_of_last_;
}

std::uint64_t BlockShuffle::begin_of(std::uint64_t number) const {
  return std::min(number, order_.count()) * block_ - (number > place_of_last_ ? missing_ : 0);
}

std::uint64_t BlockShuffle::operator[](std::uint64_t at) const {
  // Windows after the one with the short block begin earlier by what it lacks.
  std::uint64_t window = at / (block_ * blocks_of_window_);
  while (at >= begin_of((window + 1) * blocks_of_window_)) ++window;
  const std::uint64_t first = window * blocks_of_window_, begin = begin_of(first);
  RandomStream stream = stream_;
  stream.layer += 1 + static_cast<std::uint32_t>(window);
  const RandomPermutation within(stream, begin_of(first + blocks_of_window_) - begin);
  std::uint64_t offset = within[at - begin];
  if (missing_ > 0 && place_of_last_ >= first && begin + offset >= begin_of(place_of_last_ + 1))
    offset += missing_;
  return order_[first + offset / block_] * block_ + offset % block_;
}

}  // namespace headwater
