// Rows A1 and A2: a stack of post-norm blocks, the largest of each feature over the tokens, one sigmoid unit.
#pragma once

#include <string>
#include <vector>

#include "layers/dropout.hpp"
#include "layers/embedding.hpp"
#include "layers/linear.hpp"
#include "models/encoder_decoder.hpp"
#include "steps/step_model.hpp"

namespace headwater::bench {

struct ClassifierSettings {
  EmbeddingSettings embedding;
  BlockSettings block;
  Index layers = 1;
  double head_dropout = 0;
  Index batch = 1;
  std::vector<Lengths> lengths;
};

class Classifier : public StepModel {
 public:
  explicit Classifier(const ClassifierSettings& settings)
      : settings_(settings),
        embedding_(builder_, "embedding", settings.embedding),
        head_dropout_(builder_, settings.head_dropout),
        head_(builder_, "head", settings.embedding.width, 1) {
    for (Index i = 0; i < settings.layers; ++i)
      blocks_.emplace_back(builder_, "block." + std::to_string(i), settings.block);
    equal_sequences(settings.batch, 1, reviews_);
  }

  Parameters& parameters() override { return parameters_; }
  Index width() const override { return settings_.embedding.width; }

  void draw(Draws& draws) override {
    tokens_.clear();
    labels_.clear();
    for (Index i = 0; i < settings_.batch; ++i) {
      const auto which = draws.below(static_cast<std::uint32_t>(settings_.lengths.size()));
      draw_sequence(draws, settings_.lengths[which].source, settings_.embedding.vocabulary_size, tokens_);
    }
    tokens_.finish();
    for (Index i = 0; i < settings_.batch; ++i) labels_.push_back(static_cast<std::int32_t>(draws.below(2)));
  }

  double loss(const StepContext& context) override {
    Tape& tape = context.tape;
    Variable x = embedding_(context, pack(tape, tokens_), tokens_.ids, tokens_.position_of);
    for (const EncoderBlock& block : blocks_) x = block(context, x, Causality::full).hidden;
    x = ops::pool(tape, x, ops::Pooling::max, pack(tape, reviews_));  // [B, D]
    const Real scale = Real(1) / static_cast<Real>(settings_.batch);
    return static_cast<double>(scale) *
           ops::binary_cross_entropy(tape, head_(context, head_dropout_(context, x)), labels_, scale).loss;
  }

  Index useful_tokens() const override { return tokens_.tokens(); }
  double useful_flops() const override {
    const Index t = tokens_.tokens();
    const double block = attention_flops(settings_.block.attention, tokens_, tokens_, Causality::full) +
                         2 * linear_flops(t, width(), settings_.block.feed_forward_width);
    return static_cast<double>(settings_.layers) * block + linear_flops(settings_.batch, width(), 1);
  }

 private:
  ClassifierSettings settings_;
  Parameters parameters_;
  LayerBuilder builder_{parameters_};
  Embedding embedding_;
  std::vector<EncoderBlock> blocks_;
  Dropout head_dropout_;
  Linear head_;
  PackedTokens tokens_, reviews_;
  std::vector<std::int32_t> labels_;
};

}  // namespace headwater::bench
