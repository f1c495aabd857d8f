#include "tools/translate/search.hpp"

#include "decoding/search_settings.hpp"
#include "support/error.hpp"

namespace headwater::translate {

void describe(cli::CommandLine& line, SearchOptions& o) {
  line.group("Search");
  describe(line, o.beams);
  line.add_option("--max-new-tokens", o.max_new_tokens,
                  "stop a translation after this many tokens; 0: the model's length")
      .between(0, 1e6);
  line.add_option("--max-length-ratio", o.max_length_ratio,
                  "stop it after this many tokens for each of the source; 0: no limit")
      .between(0, 1000);
  line.add_option("--min-new-tokens", o.min_new_tokens, "do not end a translation before this many tokens")
      .between(0, 1e6);
  line.add_option("--no-repeat-ngram-size", o.no_repeat_ngram_size,
                  "no sequence of this many tokens occurs twice in a translation; 0: any may")
      .between(0, 1000);
}

void describe(cli::CommandLine& line, SamplingOptions& o) {
  line.group("Sampling");
  line.add_flag("--sampling", o.is_on, "draw each token at random by its probability");
  describe(line, o.draws);
}

std::optional<SamplingSettings> sampling_of(const SamplingOptions& o, const SearchOptions& search,
                                            const GenerationConfig& files) {
  if (!o.is_on) {
    if (o.draws.any() && !files.samples)
      throw UsageError("--temperature, --top-k, --top-p, --min-p and --seed are read with --sampling");
    if (search.beams.num_beams) return std::nullopt;
    std::optional<SamplingSettings> settings = sampling_of_files(files);
    if (settings) set(*settings, o.draws);
    return settings;
  }
  if (search.beams.num_beams.value_or(1) != 1)
    throw UsageError("--sampling and --num-beams: give one of them");
  SamplingSettings settings = sampling_settings(files);
  set(settings, o.draws);
  return settings;
}

void set(DecodingSettings& settings, const SearchOptions& o) {
  set(settings, o.beams);
  search::set_one(settings, "max_new_tokens", o.max_new_tokens);
  search::set_one(settings, "max_length_ratio", o.max_length_ratio);
  search::set_one(settings, "min_new_tokens", o.min_new_tokens);
  search::set_one(settings, "no_repeat_ngram_size", o.no_repeat_ngram_size);
}

}  // namespace headwater::translate
