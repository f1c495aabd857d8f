// Learning to translate: pairs of id lines, the loss of an encoder-decoder.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/packed_tokens.hpp"
#include "data/token_dataset.hpp"
#include "families/translator/directory.hpp"
#include "families/translator/model.hpp"
#include "metrics/text_metrics.hpp"
#include "recipe/recipe.hpp"
#include "text/tokenizer/token_model.hpp"
#include "text/tokenizer/tokenizer.hpp"
#include "training/objective.hpp"

namespace headwater {

// Resamples one column. What is drawn depends on seed, epoch, example and column alone.
class SubwordResampling {
 public:
  // Leaves ids as they are.
  SubwordResampling() = default;
  // `column`: 0 or 1. `max_length`: of a line with its special tokens. `where` names the tokenizer in
  // messages: UsageError where its model makes no such choices.
  SubwordResampling(const Tokenizer& tokenizer, const SubwordSamplingSettings& settings, std::uint64_t seed,
                    std::uint32_t column, std::int64_t max_length, const std::string& where);

  // The ids of this example in this epoch; `ids` are those of its text without choices. They lie in
  // `sampled`, or are `ids` themselves: where these are not what the tokenizer makes of their text (an
  // unknown token, a line that was cut), and where the choices made more than max_length.
  std::span<const std::int32_t> apply(std::span<const std::int32_t> ids, std::int64_t epoch,
                                      std::uint32_t example, std::vector<std::int32_t>& sampled) const;

 private:
  bool is_on_ = false;
  const Tokenizer* tokenizer_ = nullptr;
  SubwordSampling sampling_;
  std::uint64_t seed_ = 0;
  std::uint32_t column_ = 0;
  std::size_t max_length_ = 0;
};

// Scores (BLEU, chrF) of validation sentences, translated with the weights as they are.
class TranslationMeasure {
 public:
  // Measures no sentence, and has no metrics.
  TranslationMeasure() = default;
  // Measures at most so many sentences, spread evenly over the validation examples. `model` must outlive
  // this.
  TranslationMeasure(const LoadedTranslator& model, std::int64_t sentences)
      : model_(&model), sentences_(sentences) {}

  // Those of text_metrics() that are measured after each epoch.
  std::span<const Metric* const> metrics() const;
  // Both sides are the target tokenizer's text of ids: what it takes from a text, or a cut to the model's
  // length, is missing from the references too.
  void finish(const ColumnSubset& validation, ValidationFigures& figures) const;

 private:
  const LoadedTranslator* model_ = nullptr;
  std::int64_t sentences_ = 0;
};

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

}  // namespace headwater
