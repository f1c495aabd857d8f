#include "support/block_shuffle.hpp"

#include <algorithm>

namespace headwater {

namespace {

constexpr std::uint64_t kBlocksOfWindow = 64;

}  // namespace

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
  std::uint64_t place = within[at - begin];
  if (missing_ > 0 && place_of_last_ >= first && begin + place >= begin_of(place_of_last_ + 1))
    place += missing_;
  return order_[first + place / block_] * block_ + place % block_;
}

}  // namespace headwater
