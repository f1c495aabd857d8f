// Learning to translate: pairs of id lines, the loss of an encoder-decoder.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/packed_tokens.hpp"
#include "data/token_dataset.hpp"
#include "models/encoder_decoder.hpp"
#include "tasks/translation/subword_resampling.hpp"
#include "tasks/translation/translation_measure.hpp"
#include "text/tokenizer/tokenizer.hpp"
#include "training/objective.hpp"

namespace headwater {

// The columns "source" and "target" of the model's ids.
std::vector<TokenColumnSettings> translation_columns(const Tokenizer& source, const Tokenizer& target,
                                                     std::int64_t length);

class TranslationObjective : public Objective {
 public:
  // Takes data sets with the columns "source" and "target".
  TranslationObjective(EncoderDecoder& model, Subset train, Subset validation, double label_smoothing,
                       TranslationMeasure measure = {});

  // Training examples are cut into subwords anew in each epoch.
  void resample(SubwordResampling source, SubwordResampling target) {
    resampling_[0] = source;
    resampling_[1] = target;
  }

  // Every training batch holds its pairs twice, under different dropout, and learns to predict alike from
  // both (R-Drop, Liang et al. 2021): weight of the divergence; 0: once.
  void regularize(double r_drop) { r_drop_ = r_drop; }

  Parameters& parameters() override { return model_.parameters(); }
  std::int64_t width() const override { return model_.settings().transformer.width; }
  std::size_t examples(Split split) const override { return of(split).subset.count(); }
  std::int64_t tokens(Split split, std::span<const std::uint32_t> chosen) const override;
  std::string data_hash() const override { return hash_of(train_.subset, validation_.subset); }
  void begin_epoch(std::int64_t epoch) override { epoch_ = epoch; }
  void prepare(Split split, std::span<const std::uint32_t> chosen, const BatchPart& part,
               BatchSlot slot) override;
  LossTotals loss(const ForwardContext& context, Split split, BatchSlot slot) override;
  bool counts_batch_positions() const override { return true; }
  std::span<const Metric* const> metrics() const override { return measure_.metrics(); }
  void finish_validation(ValidationFigures& figures) override { measure_.finish(validation_, figures); }

 private:
  struct Pair {
    std::span<const std::int32_t> source, target;
  };
  Pair pair(Split split, std::uint32_t i) const;
  const ColumnSubset& of(Split split) const { return split == Split::train ? train_ : validation_; }

  EncoderDecoder& model_;
  ColumnSubset train_, validation_;
  double label_smoothing_, r_drop_ = 0;
  TranslationMeasure measure_;
  SubwordResampling resampling_[2];  // of source and target
  std::int64_t epoch_ = 0;
  struct Slot {
    PairBatch batch;
    std::vector<std::int32_t> source, target;  // resampled
    double loss_scale = 0;     // one over the global batch's predicted tokens: the loss is their mean
    std::int64_t longest = 0;  // target of the global batch, in predicted tokens
  };
  Slot& slot_of(BatchSlot slot) { return slots_[slot == BatchSlot::first ? 0 : 1]; }
  Slot slots_[2];  // reused: a step after the largest allocates nothing
};

// Loss and counts of a batch with the measures of the report.
LossTotals totals_of(const kernels::CrossEntropyTotals& totals, const PairBatch& batch, Index length);

}  // namespace headwater
