#include "training/rank_shares.hpp"

#include <algorithm>
#include <numeric>

#include "support/parallel.hpp"
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
  const auto mine = states.subspan(own_[place].state, own_[place].size());
  if (ranks_.rank != 0) {
    ranks_.group->exchange(0, std::as_bytes(mine), {});
    return;
  }
  whole.resize(parameters_.all()[place]->size());
  std::copy(mine.begin(), mine.end(), whole.begin() + own_[place].begin);
  for (int rank = 1; rank < ranks_.size && ranks_.group != nullptr; ++rank) {
    const Range range = at(place, position_of(rank));
    const auto to = std::span(whole).subspan(range.begin, range.size());
    ranks_.group->exchange(rank, {}, std::as_writable_bytes(to));
  }
}

void RankShares::scatter(std::span<const Real> whole, std::size_t place, std::span<Real> states) const {
  const auto mine = states.subspan(own_[place].state, own_[place].size());
  if (ranks_.rank != 0) {
    ranks_.group->exchange(0, {}, std::as_writable_bytes(mine));
    return;
  }
  std::copy_n(whole.begin() + own_[place].begin, mine.size(), mine.begin());
  for (int rank = 1; rank < ranks_.size && ranks_.group != nullptr; ++rank) {
    const Range range = at(place, position_of(rank));
    ranks_.group->exchange(rank, std::as_bytes(whole.subspan(range.begin, range.size())), {});
  }
}

namespace {

// What is not there is -0, the one number that changes no other when it is added.
constexpr Real kAbsent = -0.0f;

// f(begin, end) for pieces of [0, count).
template <class F>
void in_stretches(Index count, bool is_parallel, const F& f) {
  constexpr Index kNumbers = 65'536;
  if (!is_parallel) return f(0, count);
  parallel_for((count + kNumbers - 1) / kNumbers,
               [&](Index stretch) { f(stretch * kNumbers, std::min(count, (stretch + 1) * kNumbers)); });
}

void copy_numbers(const Real* from, Index count, Real* to, bool is_parallel) {
  in_stretches(count, is_parallel,
               [&](Index begin, Index end) { std::copy(from + begin, from + end, to + begin); });
}

}  // namespace

RankBucket::Run RankBucket::run_of(const Slice& slice, int position) const {
  const RankTensor& tensor = *slice.tensor;
  const RankShares::Range range = shares_.at(tensor.place, position);
  Run run{range.begin, range.end, 1};
  if (tensor.is_sparse) {
    run.width = tensor.values.cols;
    const auto before = [&](Index numbers) {
      return std::lower_bound(tensor.rows.begin(), tensor.rows.end(), numbers / run.width) -
             tensor.rows.begin();
    };
    run.begin = before(range.begin);
    run.end = before(range.end);
  }
  const Index most = std::max<Index>(1, kMostOfSlice / shares_.ranks() / run.width);
  run.begin = std::min(run.end, run.begin + slice.number * most);
  run.end = std::min(run.end, run.begin + most);
  return run;
}

Index RankBucket::numbers_of(const Slice& slice) const {
  Index numbers = 0;
  for (int position = 0; position < shares_.ranks(); ++position) numbers += run_of(slice, position).numbers();
  return numbers;
}

Index RankBucket::slices_of(const RankTensor& tensor) const {
  Slice slice{&tensor};
  while (numbers_of(slice) > 0) ++slice.number;
  return slice.number;
}

void RankBucket::lay_out(std::span<const Slice> slices) {
  begins_.assign(1, 0);
  for (int position = 0; position < shares_.ranks(); ++position) {
    Index numbers = 0;
    for (const Slice& slice : slices) numbers += run_of(slice, position).numbers();
    begins_.push_back(begins_.back() + static_cast<std::size_t>(numbers));
  }
  numbers_.resize(std::max(numbers_.size(), begins_.back()));
}

std::span<Real> RankBucket::ranges(int first, int end) {
  const std::size_t begin = begins_[first];
  return std::span(numbers_).subspan(begin, begins_[end] - begin);
}

template <class F>
void RankBucket::for_each_run(std::span<const Slice> slices, int first, int end, const F& f) {
  Real* numbers = ranges(first, end).data();
  for (int position = first; position < end; ++position) {
    for (const Slice& slice : slices) {
      const Run run = run_of(slice, position);
      f(run, *slice.tensor, numbers);
      numbers += run.numbers();
    }
  }
}

void RankBucket::pack(std::span<const Slice> slices, int first, int end, bool is_parallel) {
  for_each_run(slices, first, end, [&](const Run& run, const RankTensor& tensor, Real* to) {
    if (tensor.is_absent) {
      std::fill_n(to, run.numbers(), kAbsent);
    } else if (!tensor.is_sparse) {
      copy_numbers(tensor.values.data + run.begin, run.numbers(), to, is_parallel);
    } else {
      parallel_for(run.end - run.begin, [&](Index i) {
        const std::int32_t row = tensor.rows[run.begin + i];
        if (tensor.here == nullptr || std::binary_search(tensor.here->begin(), tensor.here->end(), row)) {
          std::copy_n(tensor.values.row(row), run.width, to + i * run.width);
        } else {
          std::fill_n(to + i * run.width, run.width, kAbsent);
        }
      });
    }
  });
}

void RankBucket::unpack(std::span<const Slice> slices, int first, int end, bool is_parallel) {
  for_each_run(slices, first, end, [&](const Run& run, const RankTensor& tensor, const Real* from) {
    if (!tensor.is_sparse) {
      copy_numbers(from, run.numbers(), tensor.values.data + run.begin, is_parallel);
    } else {
      parallel_for(run.end - run.begin, [&](Index i) {
        const std::int32_t row = tensor.rows[run.begin + i];
        std::copy_n(from + i * run.width, run.width, tensor.values.row(row));
      });
    }
  });
}

void RankBucket::reduce_scatter(std::span<const Slice> slices, bool is_parallel) {
  lay_out(slices);
  pack(slices, 0, shares_.ranks(), is_parallel);
  int first = 0, end = shares_.ranks();
  // With the neighbour first: so a sum is that of two ranks, then of two pairs, as in the tree. Which of both
  // comes first in a sum of two cannot show.
  for (int distance = 1; distance < shares_.ranks(); distance *= 2) {
    const int middle = (first + end) / 2;
    const bool keeps_upper = (group_.rank() & distance) != 0;
    const std::span<Real> out = keeps_upper ? ranges(first, middle) : ranges(middle, end);
    (keeps_upper ? first : end) = middle;
    const std::span<Real> sums = ranges(first, end);
    received_.resize(std::max(received_.size(), sums.size()));
    const std::span<Real> others = std::span(received_).first(sums.size());
    group_.exchange(group_.rank() ^ distance, std::as_bytes(out), std::as_writable_bytes(others));
    in_stretches(static_cast<Index>(sums.size()), is_parallel, [&](Index begin, Index last) {
      for (std::size_t i = begin; i < static_cast<std::size_t>(last); ++i) sums[i] += others[i];
    });
  }
  unpack(slices, first, end, is_parallel);
}

void RankBucket::all_gather(std::span<const Slice> slices) {
  lay_out(slices);
  const int own = shares_.position();
  pack(slices, own, own + 1, true);
  for (int width = 1; width < shares_.ranks(); width *= 2) {
    const int mine = own / width * width, theirs = mine ^ width;
    const int partner = group_.rank() ^ (shares_.ranks() / 2 / width);
    group_.exchange(partner, std::as_bytes(ranges(mine, mine + width)),
                    std::as_writable_bytes(ranges(theirs, theirs + width)));
  }
  unpack(slices, 0, own, true);
  unpack(slices, own + 1, shares_.ranks(), true);
}

}  // namespace headwater
