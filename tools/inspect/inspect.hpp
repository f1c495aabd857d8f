// What the ways of inspecting share: layers.cpp, tensors.cpp, data.cpp, images.cpp,
// figures.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checkpoint/safetensors.hpp"
#include "cli/lines.hpp"
#include "families/family.hpp"
#include "recipe/recipe.hpp"
#include "support/files.hpp"

namespace headwater::inspect {

struct Options {
  std::string what, recipe, scale = "full", tokenizer;
  bool shows_tensors = false, has_statistics = false, is_json = false, prints_recipe = false;
  bool lists_keys = false, shows_matrices = false;

  // The figures that tutorials draw: of a recipe or a model, to `output` or standard output.
  bool shows_positions = false, shows_schedule = false;
  std::string patches;  // the image that is cut
  std::optional<std::int64_t> steps;
  fs::path output;

  std::vector<std::string> data, columns;
  cli::LineReaderSettings reader;
  // For data sets of images.
  fs::path contact_sheet, draws;  // pictures to write
  std::int64_t samples = 10, image = 0, draw_count = 16;
  cli::KindOptions of_kinds;
};

// The recipe, model or file that is named, and whether it is a recipe.
fs::path named(const Options& o);
bool is_recipe(const Options& o);

// Or with --matrices their parameters.
void write_layers(const ModelDescription& model, const Options& o, cli::LineWriter& out);
// A line for each published layout that such a model fits, or what keeps it out.
void write_layouts(const Family& family, const ModelSection& section, cli::LineWriter& out);
void write_tensors(const Safetensors& file, const Options& o, cli::LineWriter& out);
// --positions, --schedule or --patches; one at a time.
bool is_figure(const Options& o);
void write_figure(const Options& o);
// A model directory or a checkpoint.
void inspect_directory(const fs::path& path, const Options& o, cli::LineWriter& out);
// The recipe.yaml of a model directory; of a model of another program one with the settings of the model.
void write_recipe(const fs::path& path, cli::LineWriter& out);
void inspect_data(const Options& o);
// Whether the data are a file of ids, and what inspect_data is of one.
bool is_of_ids(const Options& o);
void inspect_ids(const Options& o);
// Whether the data are a data set of images, and what inspect_data is of one.
bool is_of_images(const Options& o);
void inspect_images(const Options& o);

}  // namespace headwater::inspect
