// From the words of a recipe to the settings of layers.
#pragma once

#include "layers/embedding.hpp"
#include "layers/transformer_block.hpp"
#include "recipe/recipe.hpp"

namespace headwater {

// Each throws UsageError where the recipe's numbers do not fit together.
AttentionLayerSettings attention_settings(const ModelSettings& settings);
BlockSettings block_settings(const ModelSettings& settings);
EmbeddingSettings embedding_settings(const ModelSettings& settings, Index vocabulary_size);

}  // namespace headwater
