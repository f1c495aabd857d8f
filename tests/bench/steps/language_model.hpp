// Rows B and S: a causal stack of blocks with an untied output layer.
#pragma once

#include <vector>

#include "families/language_model/directory.hpp"
#include "families/language_model/model.hpp"
#include "steps/step_model.hpp"

namespace headwater::bench {

struct LanguageModelStepSettings {
  LanguageModelSettings model;
  Index vocabulary = 0;
  Index batch = 1;
  std::vector<Lengths> lengths;
};

class LanguageModelStep : public StepModel {
 public:
  explicit LanguageModelStep(const LanguageModelStepSettings& settings)
      : settings_(settings), model_(settings.model, settings.vocabulary) {}

  Parameters& parameters() override { return model_.parameters(); }
  Index width() const override { return settings_.model.transformer.width; }
  ModelSection section() const override { return model_section(settings_.model); }
  Index batch() const override { return settings_.batch; }
  void set_batch(Index examples) override { settings_.batch = examples; }

  void draw(Draws& draws) override {
    batch_.clear();
    for (Index i = 0; i < settings_.batch; ++i) {
      const auto which = draws.below(static_cast<std::uint32_t>(settings_.lengths.size()));
      draw_sequence(draws, settings_.lengths[which].source, settings_.vocabulary, batch_.tokens);
    }
    batch_.finish();
    for (Index t = 0; t < batch_.tokens.tokens(); ++t)
      batch_.labels.push_back(draws.id(settings_.vocabulary));
  }

  double loss(const ForwardContext& context) override {
    const double scale = 1 / static_cast<double>(batch_.labels.size());
    return scale * model_.loss(context, batch_, 0, scale).loss;
  }

  Index useful_tokens() const override { return batch_.tokens.tokens(); }
  double useful_flops() const override {
    const PackedTokens& tokens = batch_.tokens;
    const BlockSettings block = block_settings(settings_.model.transformer);
    const double flops = attention_flops(block.attention, tokens, tokens, Causality::causal) +
                         2 * linear_flops(tokens.tokens(), width(), block.feed_forward_width);
    return static_cast<double>(settings_.model.layers) * flops +
           linear_flops(tokens.tokens(), width(), settings_.vocabulary);
  }

 private:
  LanguageModelStepSettings settings_;
  LanguageModel model_;
  TokenBatch batch_;
};

}  // namespace headwater::bench
