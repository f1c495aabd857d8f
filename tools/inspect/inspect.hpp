// What the ways of inspecting share: layers.cpp, tensors.cpp, make.cpp, data.cpp,
// images.cpp.
#pragma once

#include <string>
#include <vector>

#include "checkpoint/safetensors.hpp"
#include "cli/lines.hpp"
#include "pretrained/kind.hpp"
#include "recipe/recipe.hpp"
#include "support/files.hpp"

namespace headwater::inspect {

struct Options {
  std::string what, recipe, scale = "full", tokenizer;
  bool shows_tensors = false, has_statistics = false, is_json = false, is_for_make = false;
  bool lists_keys = false;

  std::vector<std::string> data, columns;
  cli::LineReaderSettings reader;
  // For data sets of images.
  fs::path contact_sheet, draws;  // pictures to write
  std::int64_t samples = 10, image = 0, draw_count = 16;
};

void write_layers(const ModelDescription& model, bool is_json, cli::LineWriter& out);
void write_tensors(const Safetensors& file, const Options& o, cli::LineWriter& out);
// A model directory or a checkpoint.
void inspect_directory(const fs::path& path, const Options& o, cli::LineWriter& out);
// Variables for make: recipes/stages.mk includes them.
void write_make(const Recipe& recipe, cli::LineWriter& out);
void inspect_data(const Options& o);
// Whether the data are a file of ids, and what inspect_data is of one.
bool is_of_ids(const Options& o);
void inspect_ids(const Options& o);
// Whether the data are a data set of images, and what inspect_data is of one.
bool is_of_images(const Options& o);
void inspect_images(const Options& o);

}  // namespace headwater::inspect
