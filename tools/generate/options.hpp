// What the command line of generate says of the search and of sampling.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "decoding/generate.hpp"

namespace headwater::generate {

// Named as the keys of a recipe's decoding section where it has one.
struct SearchOptions {
  std::optional<std::int64_t> max_new_tokens, min_new_tokens, no_repeat_ngram_size, num_beams;
  std::optional<double> length_penalty, repetition_penalty;
  std::optional<std::string> length_penalty_kind, early_stopping;
  std::vector<std::string> stop;
};

struct SamplingOptions {
  bool is_on = false;
  std::optional<double> temperature, top_p, min_p;
  std::optional<std::int64_t> top_k, samples;
  std::optional<std::uint64_t> seed;
};

void describe(cli::CommandLine& line, SearchOptions& o);
void describe(cli::CommandLine& line, SamplingOptions& o);

// Puts what was given over `settings`. Throws UsageError for numbers out of range, and for options that are
// not read together.
void set(TextGeneratorSettings& settings, const SearchOptions& search, const SamplingOptions& sampling);

}  // namespace headwater::generate
