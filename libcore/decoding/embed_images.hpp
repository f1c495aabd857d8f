// Images to vectors with a model of images.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "decoding/embed.hpp"
#include "families/vision/directory.hpp"

namespace headwater {

class ImageEmbeddings {
 public:
  // As TextEmbeddings; compute_type is float32 alone.
  ImageEmbeddings(const LoadedVisionModel& model, const VectorSettings& settings);

  // Adds an image to those whose vectors come next. `where` is its name in messages.
  void add(std::string_view where, const ImageShape& shape, std::span<const std::uint8_t> pixels);
  std::int64_t images() const { return images_; }
  // One row an image, or one a token (the class token, where there is one, then the patches row by row):
  // valid until the next call. Afterwards no image is there. Throws LineError (image) where a state is not
  // finite.
  ConstMatrix vectors();

  Index width() const { return model_.model->settings().transformer.width; }

 private:
  const ImagePipeline& pipeline_of(std::string_view where, const ImageShape& shape);

  const LoadedVisionModel& model_;
  VectorSettings settings_;
  std::optional<ImagePipeline> pipeline_;  // for images of this shape
  ImageShape pipeline_shape_;
  ImagePipeline::Scratch scratch_;
  Arena arena_;
  ImageBatch batch_;
  std::int64_t images_ = 0;
};

}  // namespace headwater
