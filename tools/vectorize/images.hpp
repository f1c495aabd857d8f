// Images and their labels to one data set file, or to one for training and one for validation.
#pragma once

#include <string>
#include <utility>
#include <vector>

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

// "72x96" is 72 pixels high and 96 wide; "" is 0x0. Throws UsageError for another text.
std::pair<std::int64_t, std::int64_t> image_sides(const std::string& text);

// The files that are written, that of -o and another one where it is named: their folders are there. Throws
// Error.
void check_outputs(const fs::path& output, const fs::path& share);

void write_images(const ImageOptions& o);

}  // namespace headwater::vectorize
