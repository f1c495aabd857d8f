// Rows A1 and A2: a stack of post-norm blocks, the largest of each feature over the tokens, one sigmoid unit.
// Row A2P is A2 as its source computes it: the largest also over padding, which asks and is not attended to.
#pragma once

#include <string>
#include <vector>

#include "data/class_batch.hpp"
#include "layers/dropout.hpp"
#include "layers/embedding.hpp"
#include "layers/linear.hpp"
#include "models/packing.hpp"
#include "steps/step_model.hpp"

namespace headwater::bench {

struct ClassifierSettings {
  EmbeddingSettings embedding;
  BlockSettings block;
  Index layers = 1;
  double head_dropout = 0;
  Index batch = 1;
  bool pools_padding = false;  // up to embedding.length
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
  }

  Parameters& parameters() override { return parameters_; }
  Index width() const override { return settings_.embedding.width; }

  void draw(Draws& draws) override {
    batch_.clear();
    words_.clear();
    for (Index i = 0; i < settings_.batch; ++i) {
      const auto which = draws.below(static_cast<std::uint32_t>(settings_.lengths.size()));
      const std::vector<std::int32_t> ids =
          draw_ids(draws, settings_.lengths[which].source, settings_.embedding.vocabulary_size);
      batch_.add(ids, settings_.pools_padding ? settings_.embedding.length : 0);
      words_.add(ids);
    }
    batch_.finish();
    for (Index i = 0; i < settings_.batch; ++i)
      batch_.labels.push_back(static_cast<std::int32_t>(draws.below(2)));
  }

  double loss(const StepContext& context) override {
    Tape& tape = context.tape;
    const PackedTokens& tokens = batch_.source;
    Variable x = embedding_(context, pack(tape, tokens), tokens.ids, tokens.position_of);
    const KeyTokens keys{batch_.words.tokens, pack(tape, batch_.words)};
    for (const TransformerBlock& block : blocks_)
      x = block(context, x, {.keys = settings_.pools_padding ? &keys : nullptr}).hidden;
    x = ops::pool(tape, x, ops::Pooling::max, pack(tape, batch_.rows));  // [B, D]
    const Real scale = Real(1) / static_cast<Real>(settings_.batch);
    return static_cast<double>(scale) *
           ops::binary_cross_entropy(tape, head_(context, head_dropout_(context, x)), batch_.labels, scale)
               .loss;
  }

  Index useful_tokens() const override { return words_.tokens(); }
  double useful_flops() const override {
    const Index t = batch_.source.tokens();
    const double block = attention_flops(settings_.block.attention, batch_.source, words_, Causality::full) +
                         2 * linear_flops(t, width(), settings_.block.feed_forward_width);
    return static_cast<double>(settings_.layers) * block + linear_flops(settings_.batch, width(), 1);
  }

 private:
  ClassifierSettings settings_;
  Parameters parameters_;
  LayerBuilder builder_{parameters_};
  Embedding embedding_;
  std::vector<TransformerBlock> blocks_;
  Dropout head_dropout_;
  Linear head_;
  ClassBatch batch_;
  PackedTokens words_;
};

}  // namespace headwater::bench
