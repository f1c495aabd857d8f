// The options of decoding that translate, generate and evaluate share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/options.hpp"
#include "decoding/sampling.hpp"
#include "families/generation_config.hpp"
#include "layers/packed_weights.hpp"
#include "recipe/recipe.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

namespace headwater::search {

// Named as the keys of a recipe's decoding section.
struct BeamOptions {
  std::optional<std::int64_t> num_beams;
  std::optional<double> length_penalty;
  std::optional<std::string> length_penalty_kind, early_stopping;

  bool any() const { return num_beams || length_penalty || length_penalty_kind || early_stopping; }
};

struct SamplingOptions {
  std::optional<double> temperature, top_p, min_p;
  std::optional<std::int64_t> top_k;
  std::optional<std::uint64_t> seed;

  bool any() const { return temperature || top_p || min_p || top_k || seed; }
};

void add_compute_type_option(cli::CommandLine& line, std::string& name);
ComputeType compute_type_of(std::string_view name);  // of one that the option takes

void describe(cli::CommandLine& line, BeamOptions& o);
void describe(cli::CommandLine& line, SamplingOptions& o);

// Each puts what was given over `settings`. The first throws UsageError for numbers out of range.
void set(DecodingSettings& settings, const BeamOptions& o);
void set(SamplingSettings& settings, const SamplingOptions& o);

// Which of the least and the most number of new tokens options gave; the file says the others.
struct RoomOrigin {
  bool has_min = false, has_max = false;
  std::string file = {};
};
// Each throws where the least number is above the most: UsageError where an option gave one of them, Error
// naming the file otherwise. The second knows a model's own limit (0: none) and its positions.
void check_room(const DecodingSettings& settings, const RoomOrigin& origin);
void check_room(const DecodingSettings& settings, const RoomOrigin& origin, std::int64_t models_own,
                std::int64_t positions);

// One key of a recipe's decoding section, by the rules of recipes; the error has the option's name.
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

}  // namespace headwater::search
