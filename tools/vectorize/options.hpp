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
#include "tools/vectorize/modes.hpp"

namespace headwater::vectorize {

inline constexpr std::int64_t kMaxLength = 0x7FFFFFFF;  // also of a model that reads any number of ids

struct Options {
  const Command* command = nullptr;  // the word that the command line begins with, or any
  std::vector<std::string> tokens;
  std::optional<Recipe> resolved_recipe;  // what `recipe` names
  std::int64_t split_by = 0;              // column, from 1; 0: the whole line
  fs::path tokenizer, terms, labels, output, recipe, images, image_labels, validation, split;
  std::string learn, form, max_unknown, order, side = "source", scale = "full", resize;
  std::vector<std::string> check;
  std::int64_t length = 0, ngrams = 1, size = 20000, block = 0, stride = 0;
  bool length_is_typed = false;  // not that of a recipe
  bool has_start = false, has_end = false, has_header = false, allows_empty = false;
  double validation_fraction = ImageOptions().validation_fraction;
  std::uint64_t seed = 1;
  std::string background = ImageOptions().background;
  bool applies_orientation = false, chooses_reading = false;
  bool is_quiet = false;
  cli::LineReaderSettings reader;
  int threads = 0;
};

// All options; those of one mode are described in its file.
void describe(cli::CommandLine& line, Options& o);
void describe_ids(cli::CommandLine& line, Options& o);
void describe_one_text(cli::CommandLine& line, Options& o);
void describe_labels(cli::CommandLine& line, Options& o);
void describe_terms(cli::CommandLine& line, Options& o);
void describe_images(cli::CommandLine& line, Options& o);
void describe_split(cli::CommandLine& line, Options& o);

void resolve_split(Options& o, const ModeOptions& typed);
void resolve_csv(Options& o, const ModeOptions& typed);
void resolve_images(Options& o, const ModeOptions& typed);
void resolve_learn_labels(Options& o, const ModeOptions& typed);
void resolve_learn_terms(Options& o, const ModeOptions& typed);
void resolve_bags(Options& o, const ModeOptions& typed);
void resolve_label_ids(Options& o, const ModeOptions& typed);
void resolve_blocks(Options& o, const ModeOptions& typed);
void resolve_id_file(Options& o, const ModeOptions& typed);
void resolve_columns(Options& o, const ModeOptions& typed);
void resolve_ids(Options& o, const ModeOptions& typed);

// What modes of lines that have a recipe do first: length, start and end, the terms' settings.
void resolve_recipe(Options& o, const ModeOptions& typed);
// Throws UsageError for a --validation-fraction that is no share.
void check_share(const Options& o);

// The share that --max-unknown gives: "5", "0.5%". Throws UsageError for what is no percentage.
double percent_of(const std::string& text);

}  // namespace headwater::vectorize
