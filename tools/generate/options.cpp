#include "tools/generate/options.hpp"

#include "decoding/search_settings.hpp"
#include "support/error.hpp"

namespace headwater::generate {

void describe(cli::CommandLine& line, SearchOptions& o) {
  line.group("Search");
  line.add_option("--max-new-tokens", o.max_new_tokens, "end a continuation after this many tokens (64)")
      .between(1, 1e6);
  line.add_option("--min-new-tokens", o.min_new_tokens, "do not end it by its end token before this many (0)")
      .between(0, 1e6);
  line.add_option("--stop", o.stop, "end it before this text, which is left out; may be given again")
      .shown_as("TEXT")
      .one_value_each();
  line.add_option("--repetition-penalty", o.repetition_penalty,
                  "tokens that the text has already: above 1 they are less likely (1)")
      .between(1e-3, 1e3);
  line.add_option("--no-repeat-ngram-size", o.no_repeat_ngram_size,
                  "no sequence of this many tokens occurs twice in a text; 0: any may (0)")
      .between(0, 1000);
  describe(line, o.beams);
}

void describe(cli::CommandLine& line, SamplingOptions& o) {
  line.group("Sampling");
  line.add_flag("--sampling", o.is_on,
                "draw each token at random by its probability; each of the options below does so too");
  line.add_option("--samples", o.samples, "continuations of each prompt, one a line (1)")
      .between(1, kMaxSamples);
  describe(line, o.draws);
}

namespace {

bool is_sampling(const SamplingOptions& o) { return o.is_on || o.samples || o.draws.any(); }

}  // namespace

void set(TextGeneratorSettings& settings, const GenerationConfig& files, const SearchOptions& search,
         const SamplingOptions& sampling) {
  DecodingSettings& decoding = settings.decoding = decoding_of_files(files);
  if (is_sampling(sampling)) {
    if (search.beams.num_beams.value_or(1) > 1)
      throw UsageError("--num-beams searches and the options of sampling draw: give one of them");
    decoding.num_beams = 1;
  }
  set(decoding, search.beams);
  if (search.max_new_tokens) decoding.max_new_tokens = *search.max_new_tokens;
  search::set_one(decoding, "min_new_tokens", search.min_new_tokens);
  search::check_room(decoding, {.has_min = search.min_new_tokens.has_value(),
                                .has_max = search.max_new_tokens.has_value(),
                                .file = files.file});
  search::set_one(decoding, "no_repeat_ngram_size", search.no_repeat_ngram_size);
  settings.repetition_penalty = search.repetition_penalty;
  settings.stop = search.stop;
  if (is_sampling(sampling)) {
    set(settings.sampling.emplace(sampling_settings(files)), sampling.draws);
  } else if (!search.beams.num_beams) {
    settings.sampling = sampling_of_files(files);
  }
  settings.samples = sampling.samples.value_or(files.return_sequences);
  if (settings.samples > 1 && !settings.sampling) {
    throw Error(files.file + ": \"num_return_sequences\" is " + std::to_string(settings.samples) +
                ", and a search writes one continuation here (write 1, or give --samples)");
  }
}

}  // namespace headwater::generate
