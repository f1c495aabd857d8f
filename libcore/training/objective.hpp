// What the training loop needs of a model and its data: batches, a loss, and how results are measured.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/parameter.hpp"
#include "layers/builder.hpp"

namespace headwater {

// Sums over examples; means are taken at the end. Adding batches in ascending order defines the bits.
struct LossTotals {
  double loss = 0;             // over predicted tokens
  std::int64_t correct = 0;    // predicted tokens whose best prediction is right
  std::int64_t predicted = 0;  // tokens
  std::int64_t useful = 0;     // tokens read and predicted, for tokens a second
  std::int64_t sequences = 0;
  std::int64_t positions = 0;  // sequences times the fixed length: what the source of spa-eng divides by
  std::int64_t padded =
      0;  // sequences with a padded position after their end, which that source counts as right

  void add(const LossTotals& other);
  double mean_loss() const { return predicted > 0 ? loss / static_cast<double>(predicted) : 0; }
  double accuracy() const {
    return predicted > 0 ? static_cast<double>(correct) / static_cast<double>(predicted) : 0;
  }
  // The source's own measure (recipes/results/spa-eng.md).
  double reference_loss() const { return positions > 0 ? loss / static_cast<double>(positions) : 0; }
  double reference_accuracy() const {
    return predicted + padded > 0
               ? static_cast<double>(correct + padded) / static_cast<double>(predicted + padded)
               : 0;
  }
};

// The figures of all validation examples.
struct ValidationFigures : LossTotals {
  // One for each name of Objective::figure_names(); nothing where it is not defined for these examples.
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
  // of the gradients of the mean loss a predicted token of the global batch is ready after tape.backward().
  virtual LossTotals loss(const ForwardContext& context, Split split, BatchSlot slot) = 0;
  // Figures of a validation that are no sums over batches, the greater the better: "macro_f1".
  virtual std::span<const std::string_view> figure_names() const { return {}; }
  // Around the batches of one validation.
  virtual void begin_validation() {}
  virtual void finish_validation(ValidationFigures&) {}
  // Texts that the model writes at the end of an epoch, counted from 0, with the weights as they are.
  virtual std::vector<std::string> samples(std::int64_t /*epoch*/) { return {}; }
};

}  // namespace headwater
