// The sum of gradients over the ranks of a data-parallel run, in the tree of decision 5 (libcore/README.md):
// a rank's sum is a subtree, and ranks are added in pairs, then pairs of pairs.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "autograd/parameter.hpp"
#include "ranks/process_group.hpp"
#include "support/background.hpp"
#include "training/objective.hpp"

namespace headwater {

class RankExchange {
 public:
  RankExchange(Parameters& parameters, ProcessGroup& group) : parameters_(parameters), group_(group) {}
  ~RankExchange();
  RankExchange(const RankExchange&) = delete;
  RankExchange& operator=(const RankExchange&) = delete;

  // The gradients of this rank's sequences, and of each use where uses are kept apart, become those of the
  // whole batch; so do the totals, which are nothing of a rank without sequences. Each of R ranks adds up its
  // share of the numbers and sends it to the others (reduce-scatter by recursive halving, all-gather by
  // recursive doubling: Thakur et al. 2005), 2 (R - 1) / R of all in the two, which is the least.
  std::optional<LossTotals> sum(const std::optional<LossTotals>& totals);

  // Between the operations of a backward pass. A first pass, of which no sum is taken, shows in which order
  // gradients are complete; after agree_on_order(), by all ranks at once, they are sent in that order, some
  // MiB at a time, while a pass goes on. Those of tables follow in sum(), which knows the rows of all ranks.
  void watch_operation();
  void send_complete() { take_complete(false); }
  void agree_on_order();

 private:
  // A gradient that some rank has, and where its numbers lie among those that are exchanged.
  struct Entry {
    Gradient* gradient = nullptr;
    Gradient::State state = Gradient::State::untouched;  // of the sum
    std::vector<std::int32_t> rows{};                    // of a sparse one: those that some rank has
    Index begin = 0, end = 0;
  };
  // A gradient that is sent early.
  struct Early {
    std::size_t place = 0, use = 0;  // of parameters_.all(); 0: the gradient, else a further use
    Index begin = 0, end = 0;
    const Real* numbers = nullptr;  // of this step; null: there are none
  };
  // Gradients that are sent together.
  struct Bucket {
    std::size_t end;  // among early_
    Index begin_number, end_number;
  };
  struct SendEarly {
    RankExchange& of;
    void operator()() { of.send_early(); }
  };
  std::span<Entry> entries() { return std::span(entries_).first(entry_count_); }
  Gradient& gradient_of(const Early& early);
  void take_complete(bool is_all);  // what the pass has finished, or what there is
  void send_early();                // on its own thread: each bucket once it is complete
  void finish_early();
  void describe(const Gradient& gradient);
  // Finds the entries of this step from what all ranks say of theirs.
  void plan();
  void add_entry(Gradient& gradient, std::size_t place, std::size_t use);
  void pack();
  void add_up(Index from, Index end, bool is_parallel);
  void unpack();

  Parameters& parameters_;
  ProcessGroup& group_;
  std::vector<std::int32_t> description_;
  Gathered<std::int32_t> descriptions_;
  std::vector<std::size_t> read_, further_;  // of each rank's description; its further uses of a parameter
  std::vector<Entry> entries_;
  std::size_t entry_count_ = 0;  // of this step
  std::vector<std::uint8_t> is_wanted_;
  std::vector<Real> numbers_, received_;
  std::vector<std::optional<LossTotals>> totals_;

  // How often each parameter was used in the first pass so far, and the operation that did it last.
  std::vector<std::size_t> uses_, done_at_;
  std::size_t operations_ = 0;
  // Early gradients in the order in which they are complete; the first of each parameter's, or none.
  std::vector<Early> early_;
  std::vector<std::optional<std::size_t>> early_of_;
  std::vector<Bucket> buckets_;
  Index early_end_ = 0;    // of their numbers
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
