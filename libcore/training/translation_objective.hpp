// Training an encoder-decoder on pairs of id lines.
#pragma once

#include "data/packed_tokens.hpp"
#include "models/encoder_decoder.hpp"
#include "training/chosen_examples.hpp"
#include "training/objective.hpp"

namespace headwater {

class TranslationObjective : public Objective {
 public:
  using Examples = ChosenExamples;  // columns "source" and "target"
  TranslationObjective(EncoderDecoder& model, Examples train, Examples validation, double label_smoothing);

  Parameters& parameters() override { return model_.parameters(); }
  std::int64_t width() const override { return model_.settings().width; }
  std::size_t examples(Split split) const override;
  std::int64_t tokens(Split split, std::span<const std::uint32_t> chosen) const override;
  std::string data_hash() const override;
  void prepare(Split split, std::span<const std::uint32_t> chosen, const BatchPart& part,
               BatchSlot slot) override;
  LossTotals loss(const ForwardContext& context, Split split, BatchSlot slot) override;

 private:
  struct Pair {
    std::span<const std::int32_t> source, target;
  };
  Pair pair(Split split, std::uint32_t i) const;
  const Examples& of(Split split) const { return split == Split::train ? train_ : validation_; }

  EncoderDecoder& model_;
  Examples train_, validation_;
  double label_smoothing_;
  struct Slot {
    PairBatch batch;
    double loss_scale = 0;  // one over the global batch's predicted tokens: the loss is their mean
  };
  Slot& slot_of(BatchSlot slot) { return slots_[slot == BatchSlot::first ? 0 : 1]; }
  Slot slots_[2];  // reused: a step after the largest allocates nothing
};

// Loss and counts of a batch with the measures of the report.
LossTotals totals_of(const kernels::CrossEntropyTotals& totals, const PairBatch& batch, Index length);

}  // namespace headwater
