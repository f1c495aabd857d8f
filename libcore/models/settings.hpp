// What the models are made of, as a recipe or config.json says it: the settings that all stacks of
// Transformer blocks share, and the way from their words to the settings of layers. What one kind of model
// has beside them stands with that model.
#pragma once

#include <cstdint>
#include <string>

#include "layers/embedding.hpp"
#include "layers/transformer_stack.hpp"

namespace headwater {

// First values of parameters. keras: as layers declare them; glorot_uniform: the same, with other fans of
// attention, by attention_settings; normal: weights and tables alike; vaswani: tables by their width;
// glorot_normal: weights and tables normal, a class token zero (and the map of patches as a convolution:
// vision/model.cpp).
enum class Initialization { keras, glorot_uniform, normal, vaswani, glorot_normal };

struct TransformerSettings : SubLayerSettings {
  std::int64_t width = 256;             // D
  std::int64_t heads = 8;               // H
  std::int64_t head_width = 0;          // K; 0: width / heads
  std::int64_t feed_forward_width = 0;  // F; 0: 4 · width
  ops::Activation activation = ops::Activation::relu;
  Positions positions = Positions::learned;
  bool scale_embedding = false;       // times sqrt(width)
  std::int64_t length = 20;           // number of positions N
  double dropout = 0.0;               // on embeddings and after each sub-layer
  double attention_dropout = 0.0;     // on attention weights
  std::int64_t attention_window = 0;  // a token attends to those less than so far away; 0: to all
  double output_dropout = 0.0;        // before the output layer
  Initialization initialization = Initialization::keras;
};

// auto_: by the classes; sigmoid: one output, two classes.
enum class HeadType { auto_, sigmoid, softmax };

// The layer that tells classes apart.
struct ClassHeadSettings {
  HeadType head = HeadType::auto_;
  std::int64_t classes = 0;  // 0: as many as there are labels
};
// The same with what it leaves open, for so many labels.
ClassHeadSettings with_classes(ClassHeadSettings settings, std::int64_t labels);

// K and F, also where the settings leave them open: width / heads (0 where heads do not divide the width),
// and 4 · width.
std::int64_t head_width_of(const TransformerSettings& settings);
std::int64_t feed_forward_width_of(const TransformerSettings& settings);

// How the parameters that were declared get their first values.
void set_initialization(Parameters& parameters, Initialization initialization);

// Each throws UsageError where the numbers do not fit together.
AttentionLayerSettings attention_settings(const TransformerSettings& settings);
BlockSettings block_settings(const TransformerSettings& settings, const MixingSettings& mixing = {});
// causal: blocks that look back only; decoder: those that attend to an encoder's output as well.
BlockSettings causal_block_settings(const TransformerSettings& settings, const MixingSettings& mixing);
BlockSettings decoder_block_settings(const TransformerSettings& settings, const MixingSettings& mixing);
EmbeddingSettings embedding_settings(const TransformerSettings& settings, Index vocabulary_size);

}  // namespace headwater
