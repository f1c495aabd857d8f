#include "training/rank_shares.hpp"

#include <algorithm>
#include <numeric>

#include "tensor/kernels/reduction/reduction.hpp"

namespace headwater {

RankShares::RankShares(const Parameters& parameters, const Ranks& ranks)
    : parameters_(parameters), ranks_(ranks) {
  for (std::size_t place = 0; place < parameters.all().size(); ++place) {
    Range range = at(place, position());
    range.state = own_size_;
    own_size_ += range.size();
    own_.push_back(range);
  }
}

int RankShares::position_of(int rank) const {
  int position = 0;  // the bits of the rank in the other order
  for (int bit = 1; bit < ranks_.size; bit *= 2) position = 2 * position + (rank & bit ? 1 : 0);
  return position;
}

RankShares::Range RankShares::at(std::size_t place, int position) const {
  const Parameter& p = *parameters_.all()[place];
  const Index unit =
      p.is_table ? std::lcm(kernels::kSumBlock, std::max<Index>(1, p.value.cols)) : kernels::kSumBlock;
  const Index units = (p.size() + unit - 1) / unit;
  // One rank has all of a small parameter: another one has the next.
  const Index turn = static_cast<Index>(place) % ranks_.size;
  const auto border = [&](Index before) {
    return std::min(p.size(), unit * ((before * units + turn) / ranks_.size));
  };
  return {border(position), border(position + 1)};
}

void RankShares::add_up(std::span<double> numbers) {
  if (ranks_.group == nullptr) return;
  received_.resize(numbers.size());
  for (int distance = 1; distance < ranks_.size; distance *= 2) {
    ranks_.group->exchange(ranks_.rank ^ distance, std::as_bytes(numbers),
                           std::as_writable_bytes(std::span(received_)));
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] += received_[i];
  }
}

void RankShares::gather(std::span<const Real> states, std::size_t place, std::vector<Real>& whole) const {
  const auto mine = states.subspan(static_cast<std::size_t>(own_[place].state),
                                   static_cast<std::size_t>(own_[place].size()));
  if (ranks_.rank != 0) {
    ranks_.group->exchange(0, std::as_bytes(mine), {});
    return;
  }
  whole.resize(static_cast<std::size_t>(parameters_.all()[place]->size()));
  std::copy(mine.begin(), mine.end(), whole.begin() + own_[place].begin);
  for (int rank = 1; rank < ranks_.size && ranks_.group != nullptr; ++rank) {
    const Range range = at(place, position_of(rank));
    const auto to = std::span(whole).subspan(static_cast<std::size_t>(range.begin),
                                             static_cast<std::size_t>(range.size()));
    ranks_.group->exchange(rank, {}, std::as_writable_bytes(to));
  }
}

void RankShares::scatter(std::span<const Real> whole, std::size_t place, std::span<Real> states) const {
  const auto mine = states.subspan(static_cast<std::size_t>(own_[place].state),
                                   static_cast<std::size_t>(own_[place].size()));
  if (ranks_.rank != 0) {
    ranks_.group->exchange(0, {}, std::as_writable_bytes(mine));
    return;
  }
  std::copy_n(whole.begin() + own_[place].begin, mine.size(), mine.begin());
  for (int rank = 1; rank < ranks_.size && ranks_.group != nullptr; ++rank) {
    const Range range = at(place, position_of(rank));
    ranks_.group->exchange(rank,
                           std::as_bytes(whole.subspan(static_cast<std::size_t>(range.begin),
                                                       static_cast<std::size_t>(range.size()))),
                           {});
  }
}

}  // namespace headwater
