// What a language model learns from: lines of ids, and windows of one long text.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/dataset.hpp"
#include "data/token_dataset.hpp"
#include "data/token_stream.hpp"
#include "decoding/generation_settings.hpp"
#include "decoding/sampling.hpp"
#include "families/language_model/model.hpp"
#include "models/cached_model.hpp"
#include "recipe/recipe.hpp"
#include "text/tokenizer/tokenizer.hpp"
#include "training/objective.hpp"

namespace headwater {

// The texts that a language model writes after each epoch (training.samples).
class TextSamples {
 public:
  // Writes nothing.
  TextSamples() = default;
  // Throws UsageError for a prompt without a token, or with more than the model has positions.
  // `after_prompt`: the token after each prompt (model.delimiter); -1: none.
  TextSamples(const CachedModel& model, Tokenizer tokenizer, const Recipe& recipe,
              std::int32_t after_prompt = -1);

  // One for each prompt, which it begins with. The random numbers of an epoch, from 0, are its own.
  std::vector<std::string> operator()(std::int64_t epoch) const;

 private:
  const CachedModel* model_ = nullptr;
  std::optional<Tokenizer> tokenizer_;
  std::vector<std::vector<std::int32_t>> prompts_;
  GenerationSettings generation_;
  SamplingSettings sampling_;
};

// The next token of each place of a text: id lines.

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

// Windows of one long text: data.examples: blocks or random.
class TextWindowsObjective : public Objective {
 public:
  // Windows of TokenStreams. Blocks: each window once an epoch. Random: as many windows as
  // data.epoch_examples says, each drawn anew for its epoch and number: random_below(seed,
  // Purpose::epoch_order, layer 2, step: the epoch, element: the number, N - length) is where it begins.
  // Validation has all windows. Throws UsageError where windows at random places would overlap examples that
  // are held out.
  TextWindowsObjective(LanguageModel& model, Subset train, Subset validation, const Recipe& recipe,
                       TextSamples samples);

  Parameters& parameters() override { return model_.parameters(); }
  std::int64_t width() const override { return model_.settings().transformer.width; }
  std::size_t examples(Split split) const override;
  bool has_equal_examples() const override { return true; }
  std::int64_t tokens(Split split, std::span<const std::uint32_t> chosen) const override;
  std::string data_hash() const override { return hash_of(train_, validation_); }
  void begin_epoch(std::int64_t epoch) override { epoch_ = epoch; }
  void prepare(Split split, std::span<const std::uint32_t> chosen, const BatchPart& part,
               BatchSlot slot) override;
  LossTotals loss(const ForwardContext& context, Split split, BatchSlot slot) override;
  std::vector<std::string> samples(std::int64_t epoch) override { return samples_(epoch); }

 private:
  const Subset& of(Split split) const { return split == Split::train ? train_ : validation_; }
  const TokenStream& stream(Split split) const { return static_cast<const TokenStream&>(*of(split).dataset); }
  std::int64_t begin_of(Split split, std::uint32_t example) const;
  struct Slot {
    TokenBatch batch;
    std::vector<std::int32_t> window;
    double loss_scale = 0;
  };
  Slot& slot_of(BatchSlot slot) { return slots_[slot == BatchSlot::first ? 0 : 1]; }

  LanguageModel& model_;
  Subset train_, validation_;
  std::uint64_t seed_;
  double label_smoothing_;
  bool draws_;                  // windows at random places
  std::int64_t drawn_windows_;  // of an epoch
  TextSamples samples_;
  std::int64_t epoch_ = 0;
  Slot slots_[2];  // reused: a step after the largest allocates nothing
};

}  // namespace headwater
