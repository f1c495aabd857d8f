// Rows F and FA: an encoder of texts that tells hidden tokens, 15 % of each text, with a tied output layer.
#pragma once

#include <vector>

#include "families/masked_lm/directory.hpp"
#include "families/masked_lm/model.hpp"
#include "steps/step_model.hpp"

namespace headwater::bench {

struct MaskedLmStepSettings {
  MaskedLmSettings model;
  Index vocabulary = 0;
  Index batch = 1;  // of texts as long as the model
};

class MaskedLmStep : public StepModel {
 public:
  explicit MaskedLmStep(const MaskedLmStepSettings& settings)
      : settings_(settings), model_(settings.model, settings.vocabulary) {}

  Parameters& parameters() override { return model_.parameters(); }
  Index width() const override { return model_.width(); }
  ModelSection section() const override { return model_section(settings_.model); }
  Index batch() const override { return settings_.batch; }
  void set_batch(Index examples) override { settings_.batch = examples; }

  // The hidden tokens are spread over a text, one in each of so many equal stretches.
  void draw(Draws& draws) override {
    const Index length = model_.length(), hidden = length * 15 / 100;
    const auto stretch = static_cast<std::uint32_t>(length / hidden);
    batch_.clear();
    for (Index i = 0; i < settings_.batch; ++i) {
      const std::vector<std::int32_t> ids = draw_ids(draws, length, settings_.vocabulary);
      places_.clear();
      were_.clear();
      for (Index h = 0; h < hidden; ++h) {
        places_.push_back(static_cast<std::int32_t>(h * length / hidden + draws.below(stretch)));
        were_.push_back(draws.id(settings_.vocabulary));
      }
      batch_.add(ids, places_, were_);
    }
    batch_.segment_of.assign(batch_.source.ids.size(), 0);
    batch_.finish();
  }

  double loss(const ForwardContext& context) override {
    const double scale = 1 / static_cast<double>(batch_.labels.size());
    return scale * model_.loss(context, batch_, {.masked = scale}).masked.loss;
  }

  Index useful_tokens() const override { return batch_.source.tokens(); }
  double useful_flops() const override {
    const PackedTokens& tokens = batch_.source;
    const BlockSettings block = block_settings(settings_.model.transformer);
    const auto hidden = static_cast<Index>(batch_.labels.size());
    const double flops = attention_flops(block.attention, tokens, tokens, Causality::full) +
                         2 * linear_flops(tokens.tokens(), width(), block.feed_forward_width);
    return static_cast<double>(settings_.model.encoder_layers) * flops +
           linear_flops(hidden, width(), width()) + linear_flops(hidden, width(), settings_.vocabulary);
  }

 private:
  MaskedLmStepSettings settings_;
  MaskedLanguageModel model_;
  MaskedBatch batch_;
  std::vector<std::int32_t> places_, were_;
};

}  // namespace headwater::bench
