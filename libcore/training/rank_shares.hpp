// What each rank of a data-parallel run updates, and alone keeps the optimizer's state of (ZeRO stage 1,
// Rajbhandari et al. 2020, sec. 5.1): a range of every parameter that is large enough to be cut.
#pragma once

#include <span>
#include <vector>

#include "autograd/parameter.hpp"
#include "ranks/process_group.hpp"

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
  // ranks that exchange halves with their neighbours first (rank_bucket.hpp). Ranges begin where sums of
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

}  // namespace headwater
