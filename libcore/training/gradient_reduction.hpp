// The sum over the parts of a global batch: the one place between backward and optimizer where gradients that
// were computed apart come together. The parts are micro-batches of a process, one after the other, and in
// the same tree those of the ranks of a data-parallel run.
#pragma once

#include <optional>
#include <vector>

#include "autograd/parameter.hpp"
#include "training/batches.hpp"
#include "training/rank_exchange.hpp"

namespace headwater {

// Folds parts [begin, begin + count) in the tree of ReductionTree: run(part, level) computes one and leaves
// its results at `level`, or returns nothing for a part without sequences, which is skipped; merge(level)
// adds what is at level + 1 to `level`. Totals are reduced alike. count is a power of two.
template <class Run, class Merge>
std::optional<LossTotals> reduce_parts(Index begin, Index count, std::size_t level, const Run& run,
                                       const Merge& merge) {
  if (count == 1) return run(begin, level);
  std::optional<LossTotals> lower = reduce_parts(begin, count / 2, level, run, merge);
  std::optional<LossTotals> upper =
      reduce_parts(begin + count / 2, count / 2, lower ? level + 1 : level, run, merge);
  if (!lower) return upper;
  if (!upper) return lower;
  merge(level);
  lower->add(*upper);
  return lower;
}

class GradientReduction {
 public:
  // More than one part need a copy of the gradients for each level of the tree, and one for each further use
  // of a parameter that is shared. The others' parts come by `group`; null: they are left out. `shares`
  // outlive it.
  GradientReduction(Parameters& parameters, const OwnParts& own, const RankShares& shares,
                    ProcessGroup* group);

  // Calls run(part) for each of this process, which leaves gradients in the parameters and returns the
  // totals, or nothing for a part without sequences. Then the parameters hold the gradients of the whole
  // batch, with the bits of one part: a rank those of its own ranges.
  template <class Run>
  LossTotals sum(const Run& run) {
    std::optional<LossTotals> totals = reduce_parts(
        own_.first, own_.count, 0,
        [&](Index part, std::size_t level) {
          exchange(level);
          std::optional<LossTotals> of_part = run(part);
          exchange(level);
          return of_part;
        },
        [&](std::size_t level) { merge(level); });
    if (!totals) parameters_.begin_step();  // what is there is of the step before
    if (ranks_) totals = ranks_->sum(totals);
    add_uses();
    return totals.value_or(LossTotals());
  }

  // After the optimizer's step: what each rank has changed is on all of them. `leaves_rows_out`: the
  // optimizer's is_sparse().
  void share_parameters(bool leaves_rows_out) {
    if (ranks_) ranks_->share_parameters(leaves_rows_out);
  }

  // Whether operation_done() is wanted between the operations of a backward pass: of ranks, each with one
  // part.
  bool sends_early() const { return ranks_ && own_.count == 1; }
  // `step`: 0 of the pass before make_room(), of which no sum is taken.
  void operation_done(std::int64_t step) {
    if (step == 0) {
      ranks_->watch_operation();
    } else {
      ranks_->send_complete();
    }
  }

  // Makes room for what a step over one part, whose gradients stand in the parameters, has shown to be
  // needed. With ranks all of them do it at once.
  void make_room();
  // The bytes of all gradients, those in the parameters included.
  std::int64_t bytes() const;
  // Sent by a rank to the others in a step in which all parameters have gradients.
  std::int64_t bytes_exchanged() const;

 private:
  // For each parameter its gradient, and those of its further uses.
  struct Level {
    FlatArray memory;
    std::vector<Gradient> gradients;
    std::vector<std::vector<Gradient>> further;
  };
  Index numbers() const;             // in the gradients of all uses
  void exchange(std::size_t level);  // the parameters' gradients with those of a level; 0 is the parameters'
  void merge(std::size_t level);
  void add_uses();

  Parameters& parameters_;
  OwnParts own_;
  std::optional<RankExchange> ranks_;
  std::vector<Level> levels_;  // from level 1 on
};

}  // namespace headwater
