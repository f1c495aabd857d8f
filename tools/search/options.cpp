#include "tools/search/options.hpp"

#include "support/decimal.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater::search {

void add_compute_type_option(cli::CommandLine& line, std::string& name) {
  line.add_option("--compute-type", name,
                  "of products with weights: float32, or int8: twice as fast or more, a little less exact")
      .one_of({"float32", "int8"})
      .with_default();
}

ComputeType compute_type_of(std::string_view name) {
  return name == "int8" ? ComputeType::int8 : ComputeType::float32;
}

void describe(cli::CommandLine& line, BeamOptions& o) {
  line.add_option("--num-beams", o.num_beams, "hypotheses that beam search keeps side by side; 1: greedy (1)")
      .between(1, 256);
  line.add_option("--length-penalty", o.length_penalty,
                  "alpha: hypotheses are compared by log-probability / penalty; above 0 favours long ones")
      .between(-10, 10);
  line.add_option("--length-penalty-kind", o.length_penalty_kind,
                  "of n tokens: power: n^alpha; gnmt: ((5 + n) / 6)^alpha")
      .offers({"power", "gnmt"});
  line.add_option("--early-stopping", o.early_stopping,
                  "when a search ends: heuristic, never (exact) or first")
      .offers({"heuristic", "never", "first"});
}

namespace {

constexpr double kLeastTemperature = 1e-3, kMostTemperature = 1e3;

}  // namespace

void describe(cli::CommandLine& line, SamplingOptions& o) {
  line.add_option("--temperature", o.temperature,
                  "divides the logits; above 1 unlikely tokens are likelier (1)")
      .between(0, kMostTemperature);
  line.add_option("--top-k", o.top_k, "draw among this many most likely tokens; 0: all (0)").between(0, 1e6);
  line.add_option("--top-p", o.top_p, "draw among the fewest tokens that hold this share of probability (1)")
      .between(1e-6, 1);
  line.add_option("--min-p", o.min_p, "draw among those with this share of the likeliest one's (0)")
      .between(0, 1);
  line.add_option("--seed", o.seed, "of the random numbers (1)");
}

void set(DecodingSettings& settings, const BeamOptions& o) {
  set_one(settings, "num_beams", o.num_beams);  // first: others are read with some numbers only
  set_one(settings, "length_penalty", o.length_penalty);
  set_one(settings, "length_penalty_kind", o.length_penalty_kind);
  set_one(settings, "early_stopping", o.early_stopping);
}

namespace {

// "--min-new-tokens", or where a file says it.
std::string name_of(const char* option, const char* member, bool is_given, const RoomOrigin& origin) {
  if (is_given) return option;
  return origin.has_min || origin.has_max ? quote(member) + " of " + origin.file : quote(member);
}

[[noreturn]] void fail_room(const DecodingSettings& settings, const RoomOrigin& origin,
                            const std::string& most) {
  const std::string what = name_of("--min-new-tokens", "min_new_tokens", origin.has_min, origin) + " is " +
                           std::to_string(settings.min_new_tokens) + ", above " + most;
  if (origin.has_min || origin.has_max) throw UsageError(what);
  throw Error(origin.file + ": " + what);
}

}  // namespace

void check_room(const DecodingSettings& settings, const RoomOrigin& origin) {
  if (settings.max_new_tokens == 0 || settings.min_new_tokens <= settings.max_new_tokens) return;
  fail_room(settings, origin,
            name_of("--max-new-tokens", "max_new_tokens", origin.has_max, origin) + ", " +
                std::to_string(settings.max_new_tokens) + " (lower it, or raise that)");
}

void check_room(const DecodingSettings& settings, const RoomOrigin& origin, std::int64_t models_own,
                std::int64_t positions) {
  const std::int64_t asked = settings.max_new_tokens > 0 ? settings.max_new_tokens : models_own;
  const std::int64_t most = asked > 0 ? std::min(asked, positions) : positions;
  if (settings.min_new_tokens <= most) return;
  fail_room(settings, origin,
            "the model's longest translation, " + counted(most, "token") + " (lower it" +
                (most < positions ? ", or raise --max-new-tokens)" : ")"));
}

void set(SamplingSettings& settings, const SamplingOptions& o) {
  if (o.temperature == 0.0)
    throw UsageError(
        "--temperature is 0, at which nothing is drawn (leave it out, and the other options of sampling: "
        "without them the likeliest token is taken)");
  if (o.temperature && *o.temperature < kLeastTemperature)
    throw UsageError("--temperature: " + shortest(*o.temperature) + " is out of range (from " +
                     shortest(kLeastTemperature) + " to " + shortest(kMostTemperature) + ")");
  if (o.temperature) settings.temperature = *o.temperature;
  if (o.top_k) settings.top_k = *o.top_k;
  if (o.top_p) settings.top_p = *o.top_p;
  if (o.min_p) settings.min_p = *o.min_p;
  if (o.seed) settings.seed = *o.seed;
}

}  // namespace headwater::search
