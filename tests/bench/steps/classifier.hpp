// Rows A1 and A2: one post-norm block, the largest of each feature over the tokens, one sigmoid unit. Row A2P
// is A2 as its source computes it: the largest also over padding, which has queries and is not attended to.
// Rows N1, NL and NG: a recurrent layer and its state after the last token.
#pragma once

#include <vector>

#include "families/classifier/directory.hpp"
#include "families/classifier/model.hpp"
#include "models/settings.hpp"
#include "steps/step_model.hpp"

namespace headwater::bench {

struct ClassifierStepSettings {
  ClassifierSettings model;
  Index vocabulary = 0;
  Index batch = 1;
  std::vector<Lengths> lengths;
};

class ClassifierStep : public StepModel {
 public:
  explicit ClassifierStep(const ClassifierStepSettings& settings)
      : settings_(settings), model_(settings.model, settings.vocabulary) {}

  Parameters& parameters() override { return model_.parameters(); }
  Index width() const override { return settings_.model.transformer.width; }
  ModelSection section() const override { return model_section(settings_.model); }
  Index batch() const override { return settings_.batch; }
  void set_batch(Index examples) override { settings_.batch = examples; }

  void draw(Draws& draws) override {
    batch_.clear();
    words_.clear();
    for (Index i = 0; i < settings_.batch; ++i) {
      const auto which = draws.below(static_cast<std::uint32_t>(settings_.lengths.size()));
      const std::vector<std::int32_t> ids =
          draw_ids(draws, settings_.lengths[which].source, settings_.vocabulary);
      batch_.add(ids, model_.padded_length(static_cast<Index>(ids.size())));
      words_.add(ids);
    }
    batch_.finish();
    for (Index i = 0; i < settings_.batch; ++i)
      batch_.labels.push_back(static_cast<std::int32_t>(draws.below(2)));
  }

  double loss(const ForwardContext& context) override {
    const double scale = 1 / static_cast<double>(settings_.batch);
    return scale * model_.loss(context, batch_, 0, scale).loss;
  }

  Index useful_tokens() const override { return words_.tokens(); }
  double useful_flops() const override {
    const BlockSettings block = block_settings(settings_.model.transformer, settings_.model.mixing);
    if (block.mixing.is_recurrent()) {  // a product with the token, one with the state
      const Index gates = kernels::gates_of(value_of<kernels::Cell>(block.mixing.mixing).value());
      const double layer = 2 * linear_flops(words_.tokens(), width(), gates * width());
      return static_cast<double>(settings_.model.encoder_layers) * layer +
             linear_flops(settings_.batch, width(), 1);
    }
    const double flops = attention_flops(block.attention, batch_.source, words_, Causality::full) +
                         2 * linear_flops(batch_.source.tokens(), width(), block.feed_forward_width);
    return static_cast<double>(settings_.model.encoder_layers) * flops +
           linear_flops(settings_.batch, width(), 1);
  }

 private:
  ClassifierStepSettings settings_;
  Classifier model_;
  ClassBatch batch_;
  PackedTokens words_;
};

}  // namespace headwater::bench
