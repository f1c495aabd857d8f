// What the training loop needs of a model and its data: batches, a loss, and how results are measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/parameter.hpp"
#include "layers/builder.hpp"
#include "metrics/loss_totals.hpp"
#include "metrics/registry.hpp"

namespace headwater {

// A loss that an objective learns by, beside others.
struct Loss {
  std::string_view name;  // "next_sentence": log.csv has next_sentence_loss and validation_next_sentence_loss
  double weight = 1;      // in the sum of all, above 0
  bool has_accuracy = false;  // what it predicts is right or wrong: log.csv has its accuracy too
};

// The figures of all validation examples.
struct ValidationFigures : LossTotals {
  // One for each of Objective::metrics(); nothing where it is not defined for these examples.
  std::vector<std::optional<double>> figures;
};

enum class Split { train, validation };

// Where a packed batch lies: one is packed while the other is computed.
enum class BatchSlot { first, second };

class Objective {
 public:
  virtual ~Objective() = default;
  virtual Parameters& parameters() = 0;
  virtual std::int64_t width() const = 0;  // D, for learning-rate schedules
  virtual std::size_t examples(Split split) const = 0;
  // Whether all examples have as many tokens, but for one that may have less. They may be very many then: the
  // order of an epoch is computed, not held.
  virtual bool has_equal_examples() const { return false; }
  // Tokens that a batch of these examples holds; decides which batch is the largest.
  virtual std::int64_t tokens(Split split, std::span<const std::uint32_t> chosen) const = 0;
  // Hash of the examples, both splits.
  virtual std::string data_hash() const = 0;
  // Before the training batches of an epoch, counted from 0, are packed.
  virtual void begin_epoch(std::int64_t /*epoch*/) {}
  // Packs one part of the global batch of the chosen examples into `slot`, whose memory is used again. Called
  // on a second thread while loss() runs on the other slot: touches nothing but its slot.
  virtual void prepare(Split split, std::span<const std::uint32_t> chosen, const BatchPart& part,
                       BatchSlot slot) = 0;
  // Loss of the part that was packed into `slot` from examples of `split`. With a recording tape, its share
  // of the gradients of the mean loss a predicted token of the global batch is ready after tape.backward();
  // of several losses, of LossTotals::mean_loss() of the global batch.
  virtual LossTotals loss(const ForwardContext& context, Split split, BatchSlot slot) = 0;
  // Whether LossTotals::batch_positions is counted, which gives log.csv two columns.
  virtual bool counts_batch_positions() const { return false; }
  // The losses that are learned together, at most kMaxLosses, where they are several: each is logged beside
  // their weighted sum.
  virtual std::span<const Loss> losses() const { return {}; }
  // The metrics of a validation that are no sums over batches, each with a column of log.csv: macro F1, BLEU.
  virtual std::span<const Metric* const> metrics() const { return {}; }
  // Around the batches of one validation.
  virtual void begin_validation() {}
  virtual void finish_validation(ValidationFigures&) {}
  // Whether solve() finds the parameters at once, in place of steps of an optimizer: one epoch of one step.
  virtual bool is_solved() const { return false; }
  // The sums over the training examples at the parameters that it has found.
  virtual LossTotals solve() { return {}; }
  // Texts that the model writes at the end of an epoch, counted from 0, with the weights as they are.
  virtual std::vector<std::string> samples(std::int64_t /*epoch*/) { return {}; }
};

}  // namespace headwater
