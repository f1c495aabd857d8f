// What translate, generate and evaluate share of decoding: its options, and the tokens found as JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "decoding/decoder.hpp"
#include "decoding/generation_settings.hpp"
#include "families/generation_config.hpp"
#include "families/model_directory.hpp"
#include "support/json.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater::search {

// Options named as the keys of a recipe's section decoding. A key's name, help, bounds and words stand in its
// row (recipe/rows.cpp) alone.
class DecodingOptions {
 public:
  // Those of the keys that are wanted. `defaults`, where there are some, are shown.
  void describe(cli::CommandLine& line, const std::function<bool(std::string_view key)>& is_wanted,
                const DecodingSettings* defaults = nullptr);
  bool any() const;
  bool has(std::string_view key) const;            // it was given
  bool has_beams() const;                          // num_beams was given, above 1
  cli::Option option(std::string_view key) const;  // one of those that are wanted
  std::string names() const;  // of the options, for rules: "--num-beams --length-penalty"
  // Puts what was given over `settings`. Throws UsageError by the rules of recipes.
  void put_over(DecodingSettings& settings) const;

 private:
  std::string with_options(std::string text) const;
  struct Row {
    std::string_view key;
    cli::Option option;
    std::function<Json()> value;
  };
  DecodingSettings typed_;
  std::list<std::string> words_;  // of the keys that are words, as typed
  std::vector<Row> options_;      // in the order of the rows
};

// Whether only beam search reads this key, or it is the number of beams.
bool is_of_beams(std::string_view key);

// "--num-beams".
std::string option_name(std::string_view key);

struct SamplingOptions {
  bool is_on = false;
  std::optional<double> temperature, top_p, min_p;
  std::optional<std::int64_t> top_k;
  std::optional<std::uint64_t> seed;

  bool any() const { return temperature || top_p || min_p || top_k || seed; }
};

void add_compute_type_option(cli::CommandLine& line, std::string& name);
// What was asked for or, where `name` is empty, what the weights are in. The model will be loaded for it.
ComputeType compute_type_of(ModelFolder& folder, std::string_view name);

// `help`: of --sampling. Options of `drawing` draw, where the others search with beams.
void describe(cli::CommandLine& line, SamplingOptions& o, const DecodingOptions& search,
              const std::string& help, const std::string& drawing);

// Puts what was given over `settings`. Throws UsageError for numbers out of range.
void set(SamplingSettings& settings, const SamplingOptions& o);

// A model's own limit of new tokens (0: none), and its positions.
struct ModelRoom {
  std::int64_t limit, positions;
};
// Throws where the least number of new tokens is above the most: UsageError where an option gave one of them,
// Error naming the file otherwise.
void check_room(const DecodingSettings& settings, const DecodingOptions& given, const std::string& file,
                std::optional<ModelRoom> model = {});

// An object for each token that has a score, and at last for the end token where it was chosen.
Json scored_tokens(const Hypothesis& hypothesis, const Tokenizer& tokenizer);

}  // namespace headwater::search
