// What the ways of converting share: export.cpp, average.cpp.
#pragma once

#include <string>
#include <vector>

#include "support/files.hpp"

namespace headwater::convert {

struct Options {
  std::string model, layout;
  std::vector<std::string> models;  // of --average
  std::int64_t last = 0;
  fs::path output;
};

// The model in a published layout, written to a new folder.
void export_model(const Options& o);
void write_average(const Options& o);

}  // namespace headwater::convert
