#include "tools/generate/options.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "tasks/generation_config.hpp"

namespace headwater::generate {

void describe(cli::CommandLine& line, SearchOptions& o) {
  line.group("Search");
  line.add_option("--max-new-tokens", o.max_new_tokens, "end a continuation after this many tokens (64)");
  line.add_option("--min-new-tokens", o.min_new_tokens, "do not end it by its end token before so many (0)");
  line.add_option("--stop", o.stop, "end it before this text, which is left out; may be given again")
      .shown_as("TEXT")
      .one_value_each();
  line.add_option("--repetition-penalty", o.repetition_penalty,
                  "tokens that the text has already: above 1 they are less likely (1)");
  line.add_option("--no-repeat-ngram-size", o.no_repeat_ngram_size,
                  "no sequence of so many tokens occurs twice in a text; 0: any may (0)");
  line.add_option("--num-beams", o.num_beams,
                  "hypotheses that beam search keeps side by side; 1: greedy (1)");
  line.add_option("--length-penalty", o.length_penalty,
                  "alpha: hypotheses are compared by log-probability / penalty; above 0 favours long ones");
  line.add_option("--length-penalty-kind", o.length_penalty_kind,
                  "of n tokens: power: n^alpha; gnmt: ((5 + n) / 6)^alpha");
  line.add_option("--early-stopping", o.early_stopping,
                  "when the search for a text ends: heuristic, never (exact) or first");
}

void describe(cli::CommandLine& line, SamplingOptions& o) {
  line.group("Sampling");
  line.add_flag("--sampling", o.is_on,
                "draw each token at random by its probability; each of the options below does so too");
  line.add_option("--samples", o.samples, "continuations of each prompt, one a line (1)");
  line.add_option("--temperature", o.temperature,
                  "divides the logits; above 1 unlikely tokens are likelier (1)");
  line.add_option("--top-k", o.top_k, "draw among the so many most likely tokens; 0: all (0)");
  line.add_option("--top-p", o.top_p, "draw among the fewest tokens that hold this share of probability (1)");
  line.add_option("--min-p", o.min_p, "draw among those with this share of the likeliest one's (0)");
  line.add_option("--seed", o.seed, "of the random numbers (1)");
}

namespace {

template <class Value>
void take(const char* option, const std::optional<Value>& given, Value least, Value most, Value& to) {
  if (!given) return;
  if (!(*given >= least && *given <= most)) {
    throw UsageError(std::string(option) + " is " + Json(*given).dump() + ", expected " + Json(least).dump() +
                     " to " + Json(most).dump());
  }
  to = *given;
}

// By the rules of recipes.
template <class Value>
void set_one(DecodingSettings& settings, std::string_view key, const std::optional<Value>& given) {
  if (!given) return;
  try {
    set_decoding(settings, key, Json(*given));
  } catch (const Error& error) {
    std::string option = "--" + std::string(key);
    std::replace(option.begin(), option.end(), '_', '-');
    throw UsageError(option + std::string(error.what()).substr(quote(key).size()));
  }
}

bool is_sampling(const SamplingOptions& o) {
  return o.is_on || o.samples || o.temperature || o.top_k || o.top_p || o.min_p || o.seed;
}

}  // namespace

void set(TextGeneratorSettings& settings, const SearchOptions& search, const SamplingOptions& sampling) {
  DecodingSettings& decoding = settings.decoding;
  set_one(decoding, "num_beams", search.num_beams);  // first: others are read with some numbers only
  set_one(decoding, "length_penalty", search.length_penalty);
  set_one(decoding, "length_penalty_kind", search.length_penalty_kind);
  set_one(decoding, "early_stopping", search.early_stopping);
  take("--max-new-tokens", search.max_new_tokens, std::int64_t{1}, std::int64_t{1'000'000},
       decoding.max_new_tokens);
  set_one(decoding, "min_new_tokens", search.min_new_tokens);
  set_one(decoding, "no_repeat_ngram_size", search.no_repeat_ngram_size);
  take("--repetition-penalty", search.repetition_penalty, 1e-3, 1e3, settings.repetition_penalty);
  for (const std::string& text : search.stop) {
    if (text.empty()) throw UsageError("--stop: an empty text stands everywhere");
  }
  settings.stop = search.stop;
  const bool has_beams = decoding.num_beams > 1;
  if (has_beams && settings.repetition_penalty != 1)
    throw UsageError("--repetition-penalty and --num-beams: give one of them");
  if (!is_sampling(sampling)) return;
  if (has_beams) throw UsageError("--num-beams searches and the options of sampling draw: give one of them");
  SamplingSettings& to = settings.sampling.emplace();
  take("--temperature", sampling.temperature, 1e-3, 1e3, to.temperature);
  take("--top-k", sampling.top_k, std::int64_t{0}, std::int64_t{1'000'000}, to.top_k);
  take("--top-p", sampling.top_p, 1e-6, 1.0, to.top_p);
  take("--min-p", sampling.min_p, 0.0, 1.0, to.min_p);
  take("--samples", sampling.samples, std::int64_t{1}, kMaxSamples, settings.samples);
  if (sampling.seed) to.seed = *sampling.seed;
}

}  // namespace headwater::generate
