// generation_config.json: how a model generates, by the names of Hugging Face's library.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "families/model_directory.hpp"
#include "recipe/recipe.hpp"
#include "support/json.hpp"

namespace headwater {

// Sets a member for each setting of the search that is not the default; max_new_tokens is none of them.
void write_decoding(Json& config, DecodingSettings settings);
// And back; what is missing is the default. Throws Error beginning with the member's name.
DecodingSettings decoding_of(const Json& config);

bool is_decoding_key(std::string_view name);

// What a model's files say of generation. Members that change nothing here (caches, outputs) are not kept.
struct GenerationConfig {
  std::string file = {};           // that says it, for messages; empty: there is none
  DecodingSettings decoding = {};  // but for max_new_tokens
  std::optional<std::int64_t> max_new_tokens = {}, max_length = {};  // max_length counts the prompt, too
  std::int64_t min_length = 0;                                       // so does this one
  std::optional<std::int32_t> start_id = {};  // decoder_start_token_id, or bos_token_id
  std::vector<std::int32_t> end_ids = {};     // any of these ends a text
  std::int32_t forced_start_id = -1;          // the token after a prompt of one token; -1: any
  std::int32_t forced_end_id = -1;            // the last token of the longest text; -1: any
  std::vector<std::int32_t> suppress_tokens = {}, begin_suppress_tokens = {};
  std::vector<std::vector<std::int32_t>> bad_words = {};
  double repetition_penalty = 1;
  bool renormalizes = false;  // after tokens were forbidden
  bool samples = false;
  std::optional<double> temperature = {}, top_p = {}, min_p = {};
  std::optional<std::int64_t> top_k = {};
  std::string not_sampled = {};       // why this program cannot draw as the file says; empty: it can
  std::int64_t return_sequences = 1;  // of a prompt
};

// Reads generation_config.json; a published folder without that file says it in config.json. Throws Error
// "path: what", also for a member whose value this program does not follow.
GenerationConfig read_generation_config(const ModelFolder& folder);
// The members of that file that say how to generate, as they are.
Json generation_members(const ModelFolder& folder);
// What a JSON object says. Throws Error beginning with the member's name.
GenerationConfig generation_config_of_json(const Json& config);

// A row of the section decoding of a recipe: where its value stands, what may stand there, when it is read.
struct DecodingField {
  std::string_view key;
  schema::Member member;
  schema::Rule rule;
  schema::When when;
  std::string_view help;
};
std::vector<DecodingField> decoding_fields(DecodingSettings& settings);
// Throws Error beginning with the key in double quotes: unknown values, and settings that are not read with
// the others as they are.
void set_decoding(DecodingSettings& settings, std::string_view key, const Json& value);

}  // namespace headwater
