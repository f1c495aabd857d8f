#include "tools/translate/search.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "tasks/generation_config.hpp"

namespace headwater::translate {

void describe(cli::CommandLine& line, SearchOptions& o) {
  line.group("Search");
  line.add_option("--num-beams", o.num_beams, "hypotheses that beam search keeps side by side; 1: greedy");
  line.add_option("--length-penalty", o.length_penalty,
                  "alpha: hypotheses are compared by log-probability / penalty; above 0 favours long ones");
  line.add_option("--length-penalty-kind", o.length_penalty_kind,
                  "of n tokens: power: n^alpha; gnmt: ((5 + n) / 6)^alpha");
  line.add_option("--early-stopping", o.early_stopping,
                  "when the search for a sentence ends: heuristic, never (exact) or first");
  line.add_option("--max-new-tokens", o.max_new_tokens,
                  "stop a translation after this many tokens; 0: the model's length");
  line.add_option("--max-length-ratio", o.max_length_ratio,
                  "stop it after this many tokens for each of the source; 0: no limit");
  line.add_option("--min-new-tokens", o.min_new_tokens, "do not end a translation before so many tokens");
  line.add_option("--no-repeat-ngram-size", o.no_repeat_ngram_size,
                  "no sequence of so many tokens occurs twice in a translation; 0: any may");
}

void describe(cli::CommandLine& line, SamplingOptions& o) {
  line.group("Sampling");
  line.add_flag("--sampling", o.is_on, "draw each token at random by its probability");
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

}  // namespace

std::optional<SamplingSettings> sampling_of(const SamplingOptions& o, const SearchOptions& search) {
  if (!o.is_on) {
    if (o.temperature || o.top_k || o.top_p || o.min_p || o.seed)
      throw UsageError("--temperature, --top-k, --top-p, --min-p and --seed are read with --sampling");
    return std::nullopt;
  }
  if (search.num_beams.value_or(1) != 1) throw UsageError("--sampling and --num-beams: give one of them");
  SamplingSettings settings;
  take("--temperature", o.temperature, 1e-3, 1e3, settings.temperature);
  take("--top-k", o.top_k, std::int64_t{0}, std::int64_t{1'000'000}, settings.top_k);
  take("--top-p", o.top_p, 1e-6, 1.0, settings.top_p);
  take("--min-p", o.min_p, 0.0, 1.0, settings.min_p);
  if (o.seed) settings.seed = *o.seed;
  return settings;
}

namespace {

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

}  // namespace

void set(DecodingSettings& settings, const SearchOptions& o) {
  set_one(settings, "num_beams", o.num_beams);  // first: others are read with some numbers only
  set_one(settings, "length_penalty", o.length_penalty);
  set_one(settings, "length_penalty_kind", o.length_penalty_kind);
  set_one(settings, "early_stopping", o.early_stopping);
  set_one(settings, "max_new_tokens", o.max_new_tokens);
  set_one(settings, "max_length_ratio", o.max_length_ratio);
  set_one(settings, "min_new_tokens", o.min_new_tokens);
  set_one(settings, "no_repeat_ngram_size", o.no_repeat_ngram_size);
}

}  // namespace headwater::translate
