// Numbers that the ranks of a data-parallel run exchange at once: slices of tensors, ordered by the rank that
// owns them (rank_shares.hpp).
#pragma once

#include <span>
#include <vector>

#include "ranks/process_group.hpp"
#include "tensor/matrix.hpp"
#include "training/rank_shares.hpp"

namespace headwater {

// The gradient or the values of a parameter.
struct RankTensor {
  std::size_t place = 0;  // of the parameter
  Matrix values{};
  bool is_sparse = false;  // only these rows are exchanged, ascending:
  std::vector<std::int32_t> rows{};
  const std::vector<std::int32_t>* here = nullptr;  // those of them that this rank has; null: all
  bool is_absent = false;                           // this rank has no numbers of it
};

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
