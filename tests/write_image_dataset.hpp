// A whole data set of images from memory: vectorize --images writes the pixels while it reads files.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "data/image_dataset.hpp"
#include "support/bytes.hpp"

struct LabelledImages {
  headwater::ImageShape shape;
  std::span<const std::uint8_t> pixels;  // [labels.size(), shape]
  std::span<const std::int64_t> labels;
  std::span<const std::string> label_names;  // as of ImageLabels
  std::optional<headwater::ImageSetReading> reading{};
};

// The bytes of the file, piece by piece.
inline void write_image_dataset(const LabelledImages& images, const headwater::ByteSink& sink) {
  headwater::write_image_dataset_head({.shape = images.shape,
                                       .labels = images.labels,
                                       .label_names = images.label_names,
                                       .reading = images.reading},
                                      sink);
  sink(headwater::raw_bytes(images.pixels));
}
