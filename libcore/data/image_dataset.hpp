// Images with labels from one safetensors file: tensors `images` U8 [N, H, W, C] and `labels` I64 [N], and in
// the metadata `labels`, the labels' names as a JSON array of strings (without it they are "0", "1", ...),
// and `reading`, how files became these images, where they were files.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/safetensors.hpp"
#include "data/dataset.hpp"
#include "data/image_reading.hpp"
#include "data/image_shape.hpp"

namespace headwater {

// What a model expects of the file; 0 is whatever the file has.
struct ImageDatasetSettings {
  ImageShape shape;
  std::int64_t classes = 0;
};

// How the files of a set were read, and what of it shows in the pixels.
struct ImageSetReading {
  ImageReading reading = {};
  bool has_transparency = false;  // a file may have transparent pixels
  bool has_orientation = false;   // a file has a tag of orientation that says to turn it
};

// The file stays mapped; beyond it an image costs four bytes, its label.
class ImageDataset : public Dataset {
 public:
  explicit ImageDataset(const ImageDatasetSettings& settings = {}) : settings_(settings) {}

  bool reads_lines() const override { return false; }
  // Once. Throws Error "path: what (fix)" for a file that is not as above, or does not fit the settings.
  void add_file(const std::filesystem::path& path) override;
  // A file that is open; of bytes in memory, these stay the caller's.
  void add(const Safetensors& file);
  void finish(std::string_view where, bool is_empty_allowed) override;

  std::int64_t examples() const override { return static_cast<std::int64_t>(labels_.size()); }
  // A hash of shape, pixels and labels, not of the labels' names.
  std::string hash() const override;

  const ImageShape& shape() const { return shape_; }
  std::span<const std::uint8_t> pixels(std::int64_t example) const {  // row by row, channels last
    const std::size_t bytes = shape_.bytes();
    return pixels_.subspan(static_cast<std::size_t>(example) * bytes, bytes);
  }
  std::int32_t label(std::int64_t example) const { return labels_[example]; }
  const std::vector<std::string>& label_names() const { return label_names_; }
  // None of sets that do not say it: of IDX and CIFAR files, say.
  const std::optional<ImageSetReading>& reading() const { return reading_; }
  // Throws Error "where: what (fix)" where the pixels would be others had the files been read as `wanted`, as
  // `whose` images were ("the training images").
  void check_reading(const ImageReading& wanted, std::string_view where, std::string_view whose) const;

 private:
  ImageDatasetSettings settings_;
  std::shared_ptr<MappedFile> file_;
  ImageShape shape_;
  std::span<const std::uint8_t> pixels_;
  std::vector<std::int32_t> labels_;
  std::vector<std::string> label_names_;
  std::optional<ImageSetReading> reading_;
};

struct ImageLabels {
  ImageShape shape;                          // of each image
  std::span<const std::int64_t> labels;      // one an image
  std::span<const std::string> label_names;  // none: the file goes without
  std::optional<ImageSetReading> reading{};
};

// Throws Error "what" for names that reading the file would refuse: too many, empty, twice, or with control
// characters.
void check_label_names(std::span<const std::string> names);

// The bytes of such a file up to the pixels, which follow image by image. Throws what check_label_names
// throws.
void write_image_dataset_head(const ImageLabels& images, const ByteSink& sink);

}  // namespace headwater
