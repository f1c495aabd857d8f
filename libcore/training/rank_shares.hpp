// What each rank of a data-parallel run updates, and alone keeps the optimizer's state of (ZeRO stage 1,
// Rajbhandari et al. 2020, sec. 5.1): a range of every parameter that is large enough to be cut.
#pragma once

#include <span>
#include <vector>

#include "autograd/parameter.hpp"
#include "ranks/process_group.hpp"
#include "tensor/matrix.hpp"

namespace headwater {

// The ranks that a run is shared out to: a power of two up to kShards. Each has a trainer of the same recipe
// and data, and the run the bits of one.
struct Ranks {
  ProcessGroup* group = nullptr;  // null: the others' share is left out, as for timing one rank's
  int rank = 0, size = 1;
};

class RankShares {
 public:
  // `parameters` are laid out.
  explicit RankShares(const Parameters& parameters, const Ranks& ranks = {});

  // Numbers of a parameter, counted from its first, and where the state of the first of them lies among that
  // of all own ones.
  struct Range {
    Index begin = 0, end = 0, state = 0;
    Index size() const { return end - begin; }
  };
  const Range& own(std::size_t place) const { return own_[place]; }
  Index own_size() const { return own_size_; }  // numbers in all own ranges

  // The range of parameters.all()[place] by position: ranges lie in the order of the positions, and so do
  // ranks that exchange halves with their neighbours first. Ranges begin where sums of
  // squares and rows of a table do, so that a rank has whole ones of both. Its `state` is 0.
  Range at(std::size_t place, int position) const;
  int position() const { return position_of(ranks_.rank); }
  int ranks() const { return ranks_.size; }

  // Each number is there on one rank and 0 on the others; then it is there on all.
  void add_up(std::span<double> numbers);

  // All numbers of a parameter's state from `states`, which has those of each rank's own ranges: on rank 0
  // they are then in `whole`, whose memory is used again.
  void gather(std::span<const Real> states, std::size_t place, std::vector<Real>& whole) const;
  // The way back: rank 0 gives the others what is theirs. Only rank 0 needs `whole`.
  void scatter(std::span<const Real> whole, std::size_t place, std::span<Real> states) const;

 private:
  int position_of(int rank) const;

  const Parameters& parameters_;
  Ranks ranks_;
  std::vector<Range> own_;
  Index own_size_ = 0;
  std::vector<double> received_;
};

// The gradient or the values of a parameter.
struct RankTensor {
  std::size_t place = 0;  // of the parameter
  Matrix values{};
  bool is_sparse = false;  // only these rows are exchanged, ascending:
  std::vector<std::int32_t> rows{};
  const std::vector<std::int32_t>* here = nullptr;  // those of them that this rank has; null: all
  bool is_absent = false;                           // this rank has no numbers of it
};

// Numbers that the ranks exchange at once: slices of tensors, ordered by the rank that owns them.
class RankBucket {
 public:
  // Both outlive it.
  RankBucket(const RankShares& shares, ProcessGroup& group) : shares_(shares), group_(group) {}

  // The same share of the range of each rank.
  struct Slice {
    const RankTensor* tensor = nullptr;
    Index number = 0;  // of the slices of the tensor
  };
  // Numbers of a slice, in all ranges together: at most, unless rows are longer.
  static constexpr Index kMostOfSlice = Index{1} << 18;
  Index slices_of(const RankTensor& tensor) const;
  Index numbers_of(const Slice& slice) const;

  // This rank's ranges become the sum over all ranks, in the tree of decision 5: recursive halving, with the
  // neighbour first. What a rank does not have changes no sum.
  void reduce_scatter(std::span<const Slice> slices, bool is_parallel);
  // The ranges of the others become what these have: recursive doubling.
  void all_gather(std::span<const Slice> slices);

 private:
  struct Run {
    Index begin, end;  // numbers of the tensor, or places in its rows
    Index width;       // numbers in each
    Index numbers() const { return (end - begin) * width; }
  };
  Run run_of(const Slice& slice, int position) const;
  void lay_out(std::span<const Slice> slices);
  // Calls f(run, slice, numbers) for what the bucket has of the ranges [first, end).
  template <class F>
  void for_each_run(std::span<const Slice> slices, int first, int end, const F& f);
  void pack(std::span<const Slice> slices, int first, int end, bool is_parallel);
  void unpack(std::span<const Slice> slices, int first, int end, bool is_parallel);
  std::span<Real> ranges(int first, int end);

  const RankShares& shares_;
  ProcessGroup& group_;
  std::vector<std::size_t> begins_;  // of the range of each position, and the end
  std::vector<Real> numbers_, received_;
};

}  // namespace headwater
