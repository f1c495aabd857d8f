// What the command line of vectorize says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/lines.hpp"
#include "cli/options.hpp"
#include "recipe/recipe.hpp"
#include "tools/vectorize/images.hpp"

namespace headwater::vectorize {

struct Options {
  std::vector<std::string> tokens;
  std::optional<Recipe> resolved_recipe;  // what `recipe` names
  fs::path tokenizer, terms, labels, output, recipe, images, image_labels, validation, split;
  std::string learn, form, max_unknown, side = "source", scale = "full", resize;
  std::vector<std::string> check;
  std::int64_t length = 0, ngrams = 1, size = 20000, block = 0, stride = 0;
  bool has_start = false, has_end = false, has_header = false;
  double validation_fraction = ImageOptions().validation_fraction;
  std::uint64_t seed = 1;
  std::string background = ImageOptions().background;
  bool applies_orientation = false, chooses_reading = false;
  bool is_quiet = false;
  cli::LineReaderSettings reader;
  int threads = 0;
};

struct TypedOptions {
  cli::Option block, stride, length, start, end, ngrams, size, validation_fraction, seed, background;
};

void describe(cli::CommandLine& line, Options& o, TypedOptions& typed);
// What was not typed is taken from the recipe. Throws UsageError for options that do not go together, or are
// out of range.
void resolve(Options& o, const TypedOptions& typed);

// The share that --max-unknown gives: "5", "0.5%". Throws UsageError for what is no percentage.
double percent_of(const std::string& text);

}  // namespace headwater::vectorize
