// Row B: a causal stack of post-norm blocks with an untied output layer.
#pragma once

#include <string>
#include <vector>

#include "layers/embedding.hpp"
#include "layers/linear.hpp"
#include "models/packing.hpp"
#include "steps/step_model.hpp"

namespace headwater::bench {

struct LanguageModelSettings {
  EmbeddingSettings embedding;
  BlockSettings block;
  Index layers = 1;
  Index batch = 1;
  std::vector<Lengths> lengths;
};

class LanguageModel : public StepModel {
 public:
  explicit LanguageModel(const LanguageModelSettings& settings)
      : settings_(settings),
        embedding_(builder_, "embedding", settings.embedding),
        head_(builder_, "head", settings.embedding.width, settings.embedding.vocabulary_size) {
    for (Index i = 0; i < settings.layers; ++i)
      blocks_.emplace_back(builder_, "block." + std::to_string(i), settings.block);
  }

  Parameters& parameters() override { return parameters_; }
  Index width() const override { return settings_.embedding.width; }

  void draw(Draws& draws) override {
    const Index vocabulary = settings_.embedding.vocabulary_size;
    tokens_.clear();
    for (Index i = 0; i < settings_.batch; ++i) {
      const auto which = draws.below(static_cast<std::uint32_t>(settings_.lengths.size()));
      draw_sequence(draws, settings_.lengths[which].source, vocabulary, tokens_);
    }
    tokens_.finish();
    labels_.clear();
    for (Index t = 0; t < tokens_.tokens(); ++t) labels_.push_back(draws.id(vocabulary));
  }

  double loss(const StepContext& context) override {
    Variable x = embedding_(context, pack(context.tape, tokens_), tokens_.ids, tokens_.position_of);
    for (const TransformerBlock& block : blocks_) x = block(context, x).hidden;
    const Real scale = Real(1) / static_cast<Real>(tokens_.tokens());
    return static_cast<double>(scale) *
           ops::linear_cross_entropy(context.tape, x, head_.weight(), head_.bias(), labels_, 0, scale).loss;
  }

  Index useful_tokens() const override { return tokens_.tokens(); }
  double useful_flops() const override {
    const Index t = tokens_.tokens(), d = width();
    const double block = attention_flops(settings_.block.attention, tokens_, tokens_, Causality::causal) +
                         2 * linear_flops(t, d, settings_.block.feed_forward_width);
    return static_cast<double>(settings_.layers) * block +
           linear_flops(t, d, settings_.embedding.vocabulary_size);
  }

 private:
  LanguageModelSettings settings_;
  Parameters parameters_;
  LayerBuilder builder_{parameters_};
  Embedding embedding_;
  std::vector<TransformerBlock> blocks_;
  Linear head_;
  PackedTokens tokens_;
  std::vector<std::int32_t> labels_;
};

}  // namespace headwater::bench
