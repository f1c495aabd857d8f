// Windows of one long text, each place's next token predicted: what a language model learns from with
// data.examples: blocks or random.
#pragma once

#include <cstdint>
#include <vector>

#include "data/language_batch.hpp"
#include "data/subset.hpp"
#include "data/token_stream.hpp"
#include "models/language_model.hpp"
#include "recipe/recipe.hpp"
#include "tasks/language_modeling/text_samples.hpp"
#include "training/objective.hpp"

namespace headwater {

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
