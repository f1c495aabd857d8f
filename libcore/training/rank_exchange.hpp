// The sum of gradients over the ranks of a data-parallel run, in the tree of decision 5 (libcore/README.md):
// a rank's sum is a subtree, and ranks are added in pairs, then pairs of pairs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "autograd/parameter.hpp"
#include "ranks/process_group.hpp"
#include "training/objective.hpp"

namespace headwater {

class RankExchange {
 public:
  RankExchange(Parameters& parameters, ProcessGroup& group) : parameters_(parameters), group_(group) {}

  // The gradients of this rank's sequences, and of each use where uses are kept apart, become those of the
  // whole batch; so do the totals, which are nothing of a rank without sequences. Each of R ranks adds up its
  // share of the numbers and sends it to the others (reduce-scatter by recursive halving, all-gather by
  // recursive doubling: Thakur et al. 2005), 2 (R - 1) / R of all in the two, which is the least.
  std::optional<LossTotals> sum(const std::optional<LossTotals>& totals);

 private:
  // A gradient that some rank has, and where its numbers lie among those that are exchanged.
  struct Entry {
    Gradient* gradient = nullptr;
    Gradient::State state = Gradient::State::untouched;  // of the sum
    std::vector<std::int32_t> rows{};                    // of a sparse one: those that some rank has
    Index begin = 0, end = 0;
  };
  std::span<Entry> entries() { return std::span(entries_).first(entry_count_); }
  void describe(const Gradient& gradient);
  // Finds the entries of this step from what all ranks say of theirs.
  void plan();
  void add_entry(Gradient& gradient, std::size_t use);
  void pack();
  void add_up();
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
};

}  // namespace headwater
