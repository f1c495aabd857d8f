// Learning to predict the next token of each place of a text: id lines.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/language_batch.hpp"
#include "data/token_dataset.hpp"
#include "models/language_model.hpp"
#include "tasks/language_modeling/text_samples.hpp"
#include "training/objective.hpp"

namespace headwater {

class LanguageModelObjective : public Objective {
 public:
  // Takes data sets with the column "source"; with a delimiter also "target", and that alone is predicted. A
  // text of one token has nothing to predict.
  LanguageModelObjective(LanguageModel& model, Subset train, Subset validation, double label_smoothing,
                         std::int32_t delimiter = -1);

  Parameters& parameters() override { return model_.parameters(); }
  std::int64_t width() const override { return model_.settings().transformer.width; }
  std::size_t examples(Split split) const override { return of(split).subset.count(); }
  std::int64_t tokens(Split split, std::span<const std::uint32_t> chosen) const override;
  std::string data_hash() const override { return hash_of(train_.subset, validation_.subset); }
  void prepare(Split split, std::span<const std::uint32_t> chosen, const BatchPart& part,
               BatchSlot slot) override;
  LossTotals loss(const ForwardContext& context, Split split, BatchSlot slot) override;
  void write_samples(TextSamples samples) { samples_ = std::move(samples); }
  std::vector<std::string> samples(std::int64_t epoch) override { return samples_(epoch); }

 private:
  const ColumnSubset& of(Split split) const { return split == Split::train ? train_ : validation_; }
  std::span<const std::int32_t> ids(Split split, std::uint32_t i) const;
  DelimitedText delimited(Split split, std::uint32_t i) const;
  struct Slot {
    TokenBatch batch;
    double loss_scale = 0;  // one over the global batch's predicted tokens: the loss is their mean
  };
  Slot& slot_of(BatchSlot slot) { return slots_[slot == BatchSlot::first ? 0 : 1]; }

  LanguageModel& model_;
  std::int32_t delimiter_;
  ColumnSubset train_, validation_;
  double label_smoothing_;
  TextSamples samples_;
  Slot slots_[2];  // reused: a step after the largest allocates nothing
};

// Loss and counts of a batch of texts; with a recording tape the gradients follow as of LanguageModel::loss.
LossTotals loss_of(const LanguageModel& model, const ForwardContext& context, const TokenBatch& batch,
                   double label_smoothing, double loss_scale);

}  // namespace headwater
