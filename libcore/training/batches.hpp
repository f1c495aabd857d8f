// How examples become batches: so many of them each, or so many tokens at the most.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "recipe/recipe.hpp"
#include "support/parallel.hpp"
#include "support/random_permutation.hpp"
#include "training/objective.hpp"

namespace headwater {

// The parts of each global batch that one process computes: whole subtrees of the sum of all.
struct OwnParts {
  Index first = 0, count = 1, of = 1;  // powers of two, but for the first

  // Whether these of a batch have no sequences.
  bool is_empty(Index sequences) const {
    return BatchPart{first, of, sequences}.begin() == BatchPart{first + count - 1, of, sequences}.end();
  }
};

// The order in which the examples of an epoch are taken: held, or computed place by place.
class ExampleOrder {
 public:
  explicit ExampleOrder(std::vector<std::uint32_t> order) : order_(std::move(order)) {}
  explicit ExampleOrder(const RandomPermutation& order) : order_(order) {}
  explicit ExampleOrder(const BlockShuffle& order) : order_(order) {}
  // That of the data.
  explicit ExampleOrder(std::int64_t examples) : order_(examples) {}

  std::int64_t count() const;
  std::uint32_t operator[](std::int64_t place) const;

 private:
  std::variant<std::int64_t, std::vector<std::uint32_t>, RandomPermutation, BlockShuffle> order_;
};

// The batches of an epoch.
class EpochBatches {
 public:
  // As even as these examples allow.
  EpochBatches(ExampleOrder order, std::int64_t count) : order_(std::move(order)), count_(count) {}
  // They begin there; the last number is that of the examples.
  EpochBatches(ExampleOrder order, std::vector<std::int64_t> begins)
      : order_(std::move(order)),
        begins_(std::move(begins)),
        count_(static_cast<std::int64_t>(begins_.size()) - 1) {}

  std::int64_t count() const { return count_; }
  std::int64_t examples() const { return order_.count(); }
  // The place in the order of a batch's first example; that after the last is examples().
  std::int64_t begin(std::int64_t number) const;
  // Its examples, none after the last batch; the memory of `to` is used again.
  void take(std::int64_t number, std::vector<std::uint32_t>& to) const;

 private:
  ExampleOrder order_;
  std::vector<std::int64_t> begins_;
  std::int64_t count_;
};

// The batches of one split. Every epoch has as many, whatever its order, so that the steps of a run are known
// before it starts.
class Batches {
 public:
  // Throws UsageError where an example has more tokens than a batch may.
  Batches(const TrainingSettings& training, const Objective& objective, Split split);

  // Batches of an epoch.
  std::int64_t count() const { return count_; }
  // Batches of this order are as even as its examples allow: a small rest at the end of an epoch would take a
  // step as large as the others along a far noisier gradient, just before validation.
  EpochBatches evenly(ExampleOrder order) const;
  // In the order of the data, each batch but the last as large as it may be: of validation.
  EpochBatches in_order() const;

 private:
  std::int64_t tokens_of(std::uint32_t example) const {
    return objective_.tokens(split_, std::span(&example, 1));
  }

  const Objective& objective_;
  Split split_;
  std::int64_t examples_, most_sequences_, most_tokens_;
  std::int64_t tokens_ = 0;  // of all examples, where batches are cut by tokens
  std::int64_t count_ = 0;
};

// The part with the most tokens of all that a run will differentiate, and the batch it is of.
struct LargestPart {
  std::vector<std::uint32_t> batch;
  BatchPart part;
};
// The largest part of a run of `steps` steps, with `batches` of them in an epoch and each batch computed in
// `parts` parts. Looks through the run's first epochs, 20 million examples of them.
LargestPart largest_part(const Objective& objective,
                         const std::function<EpochBatches(std::int64_t)>& batches_of_epoch,
                         std::int64_t batches, std::int64_t steps, Index parts);

// The next batch, or part of one, is packed on a second thread while the one before is computed. One use:
// start(first); then take(next) for each part that has sequences, computing what was taken between, and
// start(next) for a batch of which none has. What was started last is waited for on leaving.
class Prefetcher {
 public:
  // These parts of batches of `split`, packed on `thread`.
  Prefetcher(BackgroundThread& thread, Objective& objective, Split split, const OwnParts& own)
      : thread_(thread), objective_(objective), split_(split), own_(own) {}
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  // Begins to pack the first own part of the batch of these examples, which must stay where they are until
  // its last part is taken, or the end.
  void start(std::span<const std::uint32_t> chosen);

  // The part begun last, complete; then begins the one after it: of the same batch, or the first of `next`,
  // which may be empty. The part taken before the last is gone. Throws what packing threw.
  BatchSlot take(std::span<const std::uint32_t> next);

  // That take() waited for packing, in all.
  double waited_seconds() const { return waited_seconds_; }

 private:
  struct Job {
    Prefetcher& of;
    void operator()() { of.objective_.prepare(of.split_, of.chosen_, of.part_, of.slot_); }
  };
  // Begins to pack the first part from number `index` on that has sequences, if there is one.
  bool start_part(Index index);

  BackgroundThread& thread_;
  Objective& objective_;
  Split split_;
  OwnParts own_;
  Job job_{*this};
  std::span<const std::uint32_t> chosen_;
  BatchPart part_;
  BatchSlot slot_ = BatchSlot::second;
  double waited_seconds_ = 0;
};

}  // namespace headwater
