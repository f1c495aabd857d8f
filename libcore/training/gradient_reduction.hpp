// The sum over the parts of a global batch: the one place between backward and optimizer where gradients that
// were computed apart come together. Here the parts are micro-batches of one process, one after the other;
// ranks of a data-parallel run would exchange theirs in the same tree.
#pragma once

#include <optional>
#include <vector>

#include "autograd/parameter.hpp"
#include "training/objective.hpp"

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
  // `parts`: a power of two up to kShards. More than one need a copy of the gradients for each level of the
  // tree, and one for each further use of a parameter that is shared.
  GradientReduction(Parameters& parameters, Index parts);

  // Calls run(part), which leaves gradients in the parameters and returns the totals, or nothing for a part
  // without sequences. Then the parameters hold the gradients of the whole batch, with the bits of one part.
  template <class Run>
  LossTotals sum(const Run& run) {
    const std::optional<LossTotals> totals = reduce_parts(
        0, parts_, 0,
        [&](Index part, std::size_t level) {
          exchange(level);
          std::optional<LossTotals> of_part = run(part);
          exchange(level);
          return of_part;
        },
        [&](std::size_t level) { merge(level); });
    add_uses();
    return totals.value_or(LossTotals());
  }

  // Makes room for what a step over one part, whose gradients stand in the parameters, has shown to be
  // needed.
  void make_room();
  // The bytes of all gradients, those in the parameters included.
  std::int64_t bytes() const;

 private:
  // For each parameter its gradient, and those of its further uses.
  struct Level {
    FlatArray memory;
    std::vector<Gradient> gradients;
    std::vector<std::vector<Gradient>> further;
  };
  void exchange(std::size_t level);  // the parameters' gradients with those of a level; 0 is the parameters'
  void merge(std::size_t level);
  void add_uses();

  Parameters& parameters_;
  Index parts_;
  std::vector<Level> levels_;  // from level 1 on
};

}  // namespace headwater
