#include "tools/generate/generate.hpp"

#include "decoding/generation_settings.hpp"
#include "support/error.hpp"

namespace headwater::generate {

void describe(cli::CommandLine& line, SearchOptions& o) {
  line.group("Search");
  const DecodingSettings defaults = TextGeneratorSettings().generation.search;
  o.decoding.describe(
      line, [](std::string_view key) { return key != "max_length_ratio"; }, &defaults);
  o.decoding.option("max_new_tokens").at_least(1);
  line.add_option("--stop", o.stop,
                  "end it before this text, which may begin within one token and end within another; may be "
                  "given again, the first to appear counts")
      .shown_as("TEXT")
      .one_value_each();
  line.add_option("--repetition-penalty", o.repetition_penalty,
                  "above 1 tokens that the text has already, prompt included, are less likely (1; Keskar et "
                  "al. 2019): their logits are divided by it if above 0 and else multiplied, with beams the "
                  "logarithms of the probabilities")
      .between(1e-3, 1e3);
}

void describe(cli::CommandLine& line, SamplingOptions& o, const SearchOptions& search) {
  describe(line, o.draws, search.decoding,
           "draw each token at random by its probability; each of the options below does so too",
           "--sampling --samples --temperature --top-k --top-p --min-p --seed");
  line.add_option("--samples", o.samples, "continuations of each prompt, one a line (1)")
      .between(1, kMaxSamples);
}

namespace {

bool is_sampling(const SamplingOptions& o) { return o.draws.is_on || o.samples || o.draws.any(); }

}  // namespace

void set(TextGeneratorSettings& settings, const GenerationConfig& files, const SearchOptions& search,
         const SamplingOptions& sampling) {
  GenerationSettings& generation = settings.generation;
  generation.search = decoding_of_files(files);
  if (is_sampling(sampling)) generation.search.num_beams = 1;
  search.decoding.put_over(generation.search);
  search::check_room(generation.search, search.decoding, files.file);
  settings.repetition_penalty = search.repetition_penalty;
  settings.stop = search.stop;
  if (is_sampling(sampling)) {
    set(generation.sampling.emplace(sampling_settings(files)), sampling.draws);
  } else if (!search.decoding.has("num_beams")) {
    generation.sampling = sampling_of_files(files);
  }
  settings.samples = sampling.samples.value_or(files.return_sequences);
  if (settings.samples > 1 && !generation.sampling) {
    throw Error(files.file + ": \"num_return_sequences\" is " + std::to_string(settings.samples) +
                ", and a search writes one continuation here (write 1, or give --samples)");
  }
}

}  // namespace headwater::generate
