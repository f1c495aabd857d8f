// What the ranks of a data-parallel run exchange in a step: the sums of their gradients, in the tree of
// decision 5 (libcore/README.md), and then the parameters. A rank's sum is a subtree, and ranks are added in
// pairs, then pairs of pairs. Each rank gets the sums of its own ranges of the parameters (rank_shares.hpp),
// updates these, and sends them to the others: reduce-scatter by recursive halving, all-gather by recursive
// doubling (Thakur et al. 2005). A rank sends (R - 1) / R of the numbers in each, which is the least.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "autograd/parameter.hpp"
#include "ranks/process_group.hpp"
#include "support/parallel.hpp"
#include "training/objective.hpp"
#include "training/rank_shares.hpp"

namespace headwater {

class RankExchange {
 public:
  // `shares` outlives it.
  RankExchange(Parameters& parameters, const RankShares& shares, ProcessGroup& group)
      : parameters_(parameters), group_(group), bucket_(shares, group) {}
  ~RankExchange();
  RankExchange(const RankExchange&) = delete;
  RankExchange& operator=(const RankExchange&) = delete;

  // The gradients of this rank's sequences, and of each use where uses are kept apart, become those of the
  // whole batch in its own ranges, and are not to be read elsewhere; their states and rows are those of the
  // whole. So are the totals, which are nothing of a rank without sequences.
  std::optional<LossTotals> sum(const std::optional<LossTotals>& totals);

  // After each rank has changed its own ranges by the gradients of sum(): all have all parameters. Where
  // `leaves_rows_out`, rows of tables without a gradient were left out.
  void share_parameters(bool leaves_rows_out);

  // Between the operations of a backward pass. A first pass, of which no sum is taken, shows in which order
  // gradients are complete; after agree_on_order(), by all ranks at once, they are sent in that order, some
  // MiB at a time, while a pass goes on. Those of tables follow in sum(), which knows the rows of all ranks.
  void watch_operation();
  void send_complete() { take_complete(false); }
  void agree_on_order();

  // Memory for the exchange of so many numbers in a step, in numbers.
  static Index room(Index numbers) {
    return std::min(numbers, kMostOfBucket + RankBucket::kMostOfSlice) * 3 / 2;
  }

 private:
  // Numbers that are sent together. Early: a quarter of all, so that sending begins while three quarters of a
  // pass are to come.
  static constexpr Index kMostOfBucket = Index{1} << 20, kBuckets = 4;

  struct Use {
    std::size_t place = 0, use = 0;  // of parameters_.all(); 0: the gradient, else a further use
  };
  struct Bucket {
    std::vector<RankBucket::Slice> slices;
    std::size_t tensors;  // of early_tensors_: the bucket is complete when so many are
  };
  struct SendEarly {
    RankExchange& of;
    void operator()() { of.send_early(); }
  };

  Gradient& gradient_of(const Use& use);
  void take_complete(bool is_all);  // what the pass has finished, or what there is
  void send_early();                // on its own thread: each bucket once it is complete
  void finish_early();
  void describe(const Gradient& gradient);
  // Finds the gradients of this step from what all ranks say of theirs.
  void plan();
  void plan_gradient(const Use& use);
  RankTensor& next_tensor(const Use& use);
  // Calls f(slices, tensors) for buckets of at least `enough` numbers of the first `tensors` of these, each.
  template <class F>
  void for_each_bucket(std::span<const RankTensor> tensors, Index enough, const F& f);

  Parameters& parameters_;
  ProcessGroup& group_;
  RankBucket bucket_;
  std::vector<std::int32_t> description_;
  Gathered<std::int32_t> descriptions_;
  std::vector<std::size_t> read_, further_;  // of each rank's description; its further uses of a parameter
  std::vector<std::uint8_t> is_wanted_;
  // Those of an exchange: the first tensor_count_.
  std::vector<RankTensor> tensors_;
  std::vector<Use> tensor_uses_;
  std::size_t tensor_count_ = 0;
  std::vector<RankBucket::Slice> slices_;
  std::vector<std::optional<LossTotals>> totals_;

  // How often each parameter was used in the first pass so far, and the operation that did it last.
  std::vector<std::size_t> uses_, done_at_;
  std::size_t operations_ = 0;
  // Early gradients in the order in which they are complete, and whether a parameter's are among them.
  std::vector<RankTensor> early_tensors_;
  std::vector<Use> early_;
  std::vector<bool> is_early_;
  std::vector<Bucket> buckets_;
  std::size_t taken_ = 0;  // of early_, in this step
  bool is_sending_ = false;
  std::mutex mutex_;
  std::condition_variable has_changed_;
  std::size_t complete_ = 0;  // buckets of this step
  bool is_abandoned_ = false;
  SendEarly job_{*this};
  BackgroundThread thread_;
};

}  // namespace headwater
