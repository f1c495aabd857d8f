// Images and their labels to one data set file, or to one for training and one for validation.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/image_dataset.hpp"
#include "support/files.hpp"

namespace headwater::vectorize {

struct ImageOptions {
  std::vector<fs::path> images;  // one IDX file, CIFAR files, a folder, or a list
  fs::path labels;               // of an IDX file: another one
  fs::path label_names;  // a set of labels; empty: the labels are numbers, or the names that they have
  fs::path output;
  fs::path validation;                 // the second output; empty: there is none
  std::int64_t height = 0, width = 0;  // to which images of files are resized; 0: they have one size
  double validation_fraction = 0.1;
  std::uint64_t seed = 1;
  // What files with transparency are laid on. White, as most programs show them on: what lies beneath
  // transparent pixels is often black, and meant for nobody's eyes.
  std::string background = "white";
  bool applies_orientation = false;
  bool chooses_reading = false;  // one of these two was typed
  bool is_quiet = false;
};

// "72x96" is 72 pixels high and 96 wide; "" is 0x0. Throws Error for another text.
std::pair<std::int64_t, std::int64_t> image_sides(const std::string& text);

// The files that are written, that of -o and another one where it is named: their folders are there. Throws
// Error.
void check_outputs(const fs::path& output, const fs::path& share);

void write_images(const ImageOptions& o);

// Where images come from: one interface for IDX files, CIFAR records and files of images.
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
