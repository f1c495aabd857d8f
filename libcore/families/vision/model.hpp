// The vision Transformer (Dosovitskiy et al. 2021): an image as a sequence of patches through an encoder,
// then a class token's row, the patches' mean or all patches side by side, dense layers, output layer.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/image_pipeline.hpp"
#include "data/packed_tokens.hpp"
#include "layers/dropout.hpp"
#include "layers/linear.hpp"
#include "layers/transformer_stack.hpp"
#include "models/settings.hpp"

namespace headwater {

// Square patches, row by row. Pixels at the right and lower edge that do not fill a patch are left out.
struct PatchGrid {
  Index height = 0, width = 0, channels = 0;  // of an image
  Index patch_size = 1;

  Index columns() const { return width / patch_size; }
  Index patches() const { return (height / patch_size) * columns(); }
  Index patch_values() const { return patch_size * patch_size * channels; }
};

// Sequences of one length without ids.
struct EqualSequences {
  std::vector<Index> offsets;  // as of PackedTokens
  std::vector<std::int32_t> position_of;
  ReductionTree plan;
  Index first_token = 0;  // in the global batch, of which this may be a part

  void assign(const BatchPart& part, Index length);  // reuses the vectors' memory
};

struct ImageBatch {
  std::vector<Real> pixels;  // [images·patches, patch_values]; a patch's values row by row, channels last
  EqualSequences patches;
  EqualSequences tokens;             // the same, one longer where a class token stands before the patches
  SequenceRows rows;                 // one row an image
  std::vector<std::int32_t> labels;  // one an image; empty where they are to be found

  void clear();
  // values: [height, width, channels]
  void add(std::span<const Real> values, const PatchGrid& grid);
  // After the last add, of the images of this part of the global batch.
  void finish(const PatchGrid& grid, bool has_class_token, const BatchPart& part);
  void finish(const PatchGrid& grid, bool has_class_token);  // of a whole batch
};

// flatten: all patches side by side.
enum class ImagePooling { class_token, mean, flatten };

struct VisionSettings {
  TransformerSettings transformer;  // without length, scale_embedding and output_dropout: images have one
                                    // length, and the dropout before the output layer is head_dropout
  MixingSettings mixing;
  std::int64_t layers = 1;
  std::int64_t image_height = 28, image_width = 28, channels = 1;
  ImagePipelineSettings images;
  std::int64_t patch_size = 4;
  std::int64_t classes = 0;  // 0: as many as the images have labels
  ImagePooling pooling = ImagePooling::class_token;
  bool class_token_position = true;       // a learned position is added to the class token, too
  bool final_norm = true;                 // of pre-norm blocks: one more after the last
  bool has_second_activation = false;     // of the blocks' feed-forward
  double feed_forward_dropout = 0;        // after each of its two layers
  std::vector<std::int64_t> head_widths;  // dense layers (GELU) before the output layer
  double head_dropout = 0;                // before and after each of them

  bool has_class_token() const { return pooling == ImagePooling::class_token; }
  ImageShape image_shape() const {
    return {.height = image_height, .width = image_width, .channels = channels};
  }
  PatchGrid grid() const {
    return {.height = image_height, .width = image_width, .channels = channels, .patch_size = patch_size};
  }
};

class VisionModel {
 public:
  // Declares its parameters; call parameters().allocate() next. Throws UsageError where settings do not fit
  // together.
  explicit VisionModel(const VisionSettings& settings);

  Parameters& parameters() { return parameters_; }
  const Parameters& parameters() const { return parameters_; }
  const VisionSettings& settings() const { return settings_; }

  // What the output layer reads, [images, ...]. The batch is finished with the settings' grid and class
  // token.
  Variable features(const ForwardContext& context, const ImageBatch& batch,
                    std::vector<AttentionTrace>* traces = nullptr) const;
  // [images, ...] -> [images, classes]
  Variable logits(const ForwardContext& context, const Variable& features) const {
    return head_(context, features);
  }
  // Sum over the images, each as often as its label's weight says where there are some; with a recording tape
  // the gradients of loss_scale · loss follow from tape.backward().
  kernels::CrossEntropyTotals loss(const ForwardContext& context, const ImageBatch& batch,
                                   double label_smoothing, double loss_scale,
                                   std::span<const Real> class_weights = {}) const;
  // [images, classes], rows that sum to 1; in the tape's arena.
  Matrix probabilities(const ForwardContext& context, const ImageBatch& batch) const;
  // Both of features that are there.
  kernels::CrossEntropyTotals loss(const ForwardContext& context, const Variable& features,
                                   std::span<const std::int32_t> labels, double label_smoothing,
                                   double loss_scale, std::span<const Real> class_weights = {}) const;
  Matrix probabilities(const ForwardContext& context, const Variable& features) const;

  // The first layer: [tokens, D]; the blocks and the norm after it.
  Variable embed(const ForwardContext& context, const ImageBatch& batch) const;
  const TransformerStack& encoder() const { return encoder_; }

  std::vector<LayerSummary> summary() const;

 private:
  // A dense layer with GELU, and the dropout after it.
  struct DenseLayer {
    Linear linear;
    Dropout dropout;
  };

  Index tokens() const { return settings_.grid().patches() + (settings_.has_class_token() ? 1 : 0); }
  // Rows of the table of positions.
  Index positions() const { return settings_.class_token_position ? tokens() : settings_.grid().patches(); }
  Index pooled_width() const {
    return settings_.pooling == ImagePooling::flatten ? tokens() * settings_.transformer.width
                                                      : settings_.transformer.width;
  }
  std::vector<DenseLayer> dense_layers();
  Variable pool(const ForwardContext& context, const Variable& x, const ImageBatch& batch) const;

  VisionSettings settings_;
  Parameters parameters_;
  LayerBuilder builder_;
  Linear to_patch_;
  Parameter* class_token_ = nullptr;
  Parameter* positions_ = nullptr;
  TransformerStack encoder_;
  Dropout pooled_dropout_;
  std::vector<DenseLayer> hidden_;
  Linear head_;
};

}  // namespace headwater
