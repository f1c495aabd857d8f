// Rows C and E: the encoder-decoder of models/.
#pragma once

#include <vector>

#include "families/translator/directory.hpp"
#include "families/translator/model.hpp"
#include "models/settings.hpp"
#include "steps/step_model.hpp"

namespace headwater::bench {

struct TranslationStepSettings {
  EncoderDecoderSettings model;
  Index source_vocabulary = 0, target_vocabulary = 0;
  Index batch = 1;
  std::vector<Lengths> lengths;
};

class TranslationStep : public StepModel {
 public:
  explicit TranslationStep(const TranslationStepSettings& settings)
      : settings_(settings), model_(settings.model, settings.source_vocabulary, settings.target_vocabulary) {}

  Parameters& parameters() override { return model_.parameters(); }
  Index width() const override { return settings_.model.transformer.width; }
  ModelSection section() const override { return model_section(settings_.model); }
  Index batch() const override { return settings_.batch; }
  void set_batch(Index examples) override { settings_.batch = examples; }

  void draw(Draws& draws) override {
    batch_.clear();
    for (Index i = 0; i < settings_.batch; ++i) {
      const Lengths& lengths =
          settings_.lengths[draws.below(static_cast<std::uint32_t>(settings_.lengths.size()))];
      draw_sequence(draws, lengths.source, settings_.source_vocabulary, batch_.source);
      draw_sequence(draws, lengths.target, settings_.target_vocabulary, batch_.target);
    }
    batch_.finish();
    for (Index t = 0; t < batch_.target.tokens(); ++t)
      batch_.labels.push_back(draws.id(settings_.target_vocabulary));
  }

  double loss(const ForwardContext& context) override {
    const double scale = 1 / static_cast<double>(batch_.labels.size());
    return scale * model_.loss(context, batch_, 0, scale).loss;
  }

  Index useful_tokens() const override { return batch_.source.tokens() + batch_.target.tokens(); }
  double useful_flops() const override {
    const PackedTokens &source = batch_.source, &target = batch_.target;
    const BlockSettings block = block_settings(settings_.model.transformer);
    const auto feed_forward = [&](Index tokens) {
      return 2 * linear_flops(tokens, width(), block.feed_forward_width);
    };
    const double encoder =
        attention_flops(block.attention, source, source, Causality::full) + feed_forward(source.tokens());
    const double decoder = attention_flops(block.attention, target, target, Causality::causal) +
                           attention_flops(block.attention, target, source, Causality::full) +
                           feed_forward(target.tokens());
    return static_cast<double>(settings_.model.encoder_layers) * encoder +
           static_cast<double>(settings_.model.decoder_layers) * decoder +
           linear_flops(target.tokens(), width(), settings_.target_vocabulary);
  }

 private:
  TranslationStepSettings settings_;
  EncoderDecoder model_;
  PairBatch batch_;
};

}  // namespace headwater::bench
