// What the command line of generate says of the search and of sampling.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "decoding/generate.hpp"
#include "tools/search/options.hpp"

namespace headwater::generate {

struct SearchOptions {
  search::DecodingOptions decoding;
  std::optional<double> repetition_penalty;
  std::vector<std::string> stop;
};

struct SamplingOptions {
  std::optional<std::int64_t> samples;
  search::SamplingOptions draws;
};

void describe(cli::CommandLine& line, SearchOptions& o);
void describe(cli::CommandLine& line, SamplingOptions& o, const SearchOptions& search);

// Puts what was given over what the model's files say. Throws UsageError for numbers out of range, and for
// options that are not read together; Error where the files ask for what is not done.
void set(TextGeneratorSettings& settings, const GenerationConfig& files, const SearchOptions& search,
         const SamplingOptions& sampling);

}  // namespace headwater::generate
