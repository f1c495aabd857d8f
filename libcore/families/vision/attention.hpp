// Attention weights of a vision Transformer for one image, read from the forward pass that computes them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "families/attention_trace.hpp"
#include "families/vision/directory.hpp"

namespace headwater {

// The tokens of an image: a class token where there is one, then the patches row by row.
struct PatchTokens {
  std::size_t rows = 0, columns = 0;
  bool has_class_token = false;

  std::size_t patches() const { return rows * columns; }
  std::size_t count() const { return patches() + first_patch(); }
  std::size_t first_patch() const { return has_class_token ? 1 : 0; }
};

PatchTokens patch_tokens(const VisionSettings& settings);
// "[CLS]", "0,0", "0,1", ...: row and column of a patch.
std::vector<std::string> patch_names(const PatchTokens& tokens);

// An image with the channels that the model reads.
struct TracedImage {
  std::int64_t number = 0;  // among the images, from 0
  std::string_view where;   // of messages: its name
  ImageShape shape;
  std::span<const std::uint8_t> pixels;
};

// What a model does with an image.
struct VisionTrace {
  // By layer, then head; of kind encoder. Tokens are "[CLS]" and "ROW,COLUMN", from 0.
  std::vector<AttentionRecord> records;
  std::vector<std::uint8_t> seen;  // the image that it read, of settings().image_shape()
  std::int32_t label = 0;
  float probability = 0;  // of the label, the largest
};

class VisionTracer {
 public:
  explicit VisionTracer(LoadedVisionModel model);

  const VisionSettings& settings() const { return model_.model->settings(); }
  const LabelSet& labels() const { return model_.labels; }
  const ImageReading& reading() const { return model_.reading; }
  // Throws UsageError where the model has no such layer, head or kind.
  void check(const AttentionSelection& selection) const;
  // Throws Error "where: what" for an image that cannot become one that the model reads, and where weights
  // or probabilities are not finite.
  VisionTrace trace(const TracedImage& image, const AttentionSelection& selection);

 private:
  const ImagePipeline& pipeline_of(const TracedImage& image);

  LoadedVisionModel model_;
  std::vector<std::string> token_names_;
  std::optional<ImagePipeline> pipeline_;
  ImageShape pipeline_shape_;  // of the images that it takes
  ImagePipeline::Scratch scratch_;
  ImageBatch batch_;
  Arena arena_;
};

}  // namespace headwater
