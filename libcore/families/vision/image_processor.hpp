// preprocessor_config.json: what makes an image the numbers that a model reads, by the names of Hugging
// Face's library (ViTImageProcessor).
#pragma once

#include <optional>
#include <string>

#include "data/image_pipeline.hpp"
#include "data/image_shape.hpp"
#include "support/json.hpp"

namespace headwater {

inline constexpr const char* kProcessorFile = "preprocessor_config.json";

// Two settings of an ImagePipeline, its statistics where they are standardized, and how files are read:
// members of our own, which that library passes over.
struct ImageProcessing {
  Normalization normalization = Normalization::symmetric;
  Resizing resizing = Resizing::bilinear;
  ChannelStatistics statistics = {};
  ImageReading reading = {};
  std::optional<PublishedResize> resize = {};  // of a published model that makes images fit
};

// What Hugging Face's pipeline does: it drops transparency, and turns images as their tags of orientation
// say.
inline constexpr ImageReading kPublishedReading{.applies_orientation = true};
// Those members, in config.json too. Where one is missing, `otherwise`: without it, as it was before it was
// said, transparency is dropped and nothing is turned. Throws Error naming the member.
ImageReading reading_of_members(const Json& config, const ImageReading& otherwise = {});
void write_reading(Json& config, const ImageReading& reading);

// For a model that reads images of this shape. What is missing is as that library has it. Throws Error naming
// the member that is out of range, or says what this program cannot do.
ImageProcessing image_processing_of(const Json& config, const ImageShape& shape);
// The other way, of any resizing but crop.
Json image_processor_of(const ImageProcessing& processing, const ImageShape& shape);

}  // namespace headwater
