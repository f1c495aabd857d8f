// What the command line of translate says of the search.
#pragma once

#include <cstdint>
#include <optional>

#include "cli/options.hpp"
#include "decoding/sampling.hpp"
#include "recipe/recipe.hpp"
#include "tools/search/options.hpp"

namespace headwater::translate {

// Named as the keys of a recipe's decoding section; the rest is what the recipe or the model says.
struct SearchOptions {
  std::optional<std::int64_t> max_new_tokens, min_new_tokens, no_repeat_ngram_size;
  std::optional<double> max_length_ratio;
  search::BeamOptions beams;
};

struct SamplingOptions {
  bool is_on = false;
  search::SamplingOptions draws;
};

void describe(cli::CommandLine& line, SearchOptions& o);
void describe(cli::CommandLine& line, SamplingOptions& o);

// Nothing where there is no sampling. `files`: what the model says, over which the options go. Throws
// UsageError for numbers out of range, and for options that sampling alone reads, or does not read; Error
// where the files ask for what is not done.
std::optional<SamplingSettings> sampling_of(const SamplingOptions& o, const SearchOptions& search,
                                            const GenerationConfig& files);

// Puts what was given over `settings`. Throws UsageError by the rules of recipes.
void set(DecodingSettings& settings, const SearchOptions& o);

}  // namespace headwater::translate
