// Where images come from: one interface for IDX files, CIFAR records and files of images.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/image_dataset.hpp"
#include "support/files.hpp"
#include "tools/vectorize/images.hpp"

namespace headwater::vectorize {

class ImageSource {
 public:
  virtual ~ImageSource() = default;
  ImageSource() = default;
  ImageSource(const ImageSource&) = delete;
  ImageSource& operator=(const ImageSource&) = delete;

  // The pixels of an image of the shape below. Called from several threads. Throws Error "path: what".
  virtual void read(std::int64_t image, std::span<std::uint8_t> out) const = 0;
  // Says on standard error what could have become of these images otherwise. After they were read.
  virtual void note() const {}

  ImageShape shape;                        // of each image that read() gives
  std::vector<std::int64_t> labels;        // one an image
  std::vector<std::string> names;          // of the labels; none: they are numbers
  std::int64_t classes = 0;                // labels that there are
  std::optional<ImageSetReading> reading;  // of files of images
};

// What `o.images` are: a folder, IDX or CIFAR files, or a list.
std::unique_ptr<ImageSource> open_images(const ImageOptions& o);

// An IDX file with one of labels.
std::unique_ptr<ImageSource> open_idx(const ImageOptions& o);

// CIFAR-10 or CIFAR-100 files of records.
std::unique_ptr<ImageSource> open_cifar(const ImageOptions& o);

// PNG and JPEG files in folders that are their labels.
std::unique_ptr<ImageSource> open_image_folder(const ImageOptions& o);

// A path, a TAB and a label a line.
std::unique_ptr<ImageSource> open_image_list(const ImageOptions& o);

}  // namespace headwater::vectorize
