// Images and their labels to one data set file.
#pragma once

#include "support/files.hpp"

namespace headwater::vectorize {

struct ImageOptions {
  fs::path images, labels;  // IDX files
  fs::path label_names;     // a set of labels; empty: the labels are numbers
  fs::path output;
  bool is_quiet = false;
};

void write_images(const ImageOptions& o);

}  // namespace headwater::vectorize
