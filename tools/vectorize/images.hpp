// Images and their labels to one data set file, or to one for training and one for validation.
#pragma once

#include <string>
#include <vector>

#include "support/files.hpp"

namespace headwater::vectorize {

struct ImageOptions {
  std::vector<fs::path> images;  // one IDX file, or CIFAR files
  fs::path labels;               // of an IDX file: another one
  fs::path label_names;  // a set of labels; empty: the labels are numbers, or the names that they have
  fs::path output;
  fs::path validation;  // the second output; empty: there is none
  double validation_fraction = 0.1;
  std::uint64_t seed = 1;
  bool is_quiet = false;
};

void write_images(const ImageOptions& o);

}  // namespace headwater::vectorize
