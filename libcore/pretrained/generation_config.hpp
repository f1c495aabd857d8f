// generation_config.json: how a translator searches, by the names of Hugging Face's library.
#pragma once

#include <optional>
#include <string_view>

#include "pretrained/model_directory.hpp"
#include "recipe/recipe.hpp"
#include "support/json.hpp"

namespace headwater {

// Sets a member for each setting of the search that is not the default; max_new_tokens is none of them.
void write_decoding(Json& config, DecodingSettings settings);
// And back; what is missing is the default. Throws Error beginning with the member's name.
DecodingSettings decoding_of(const Json& config);

// The file in a model's folder, read once.
struct GenerationConfig {
  DecodingSettings decoding = {};               // but for max_new_tokens
  std::optional<std::int64_t> max_length = {};  // nothing where it is not said
  std::optional<bool> forces_end = {};          // whether the longest text must end with the end token
};
// What it says; nothing where it is not there. Throws Error "path: what".
GenerationConfig read_generation_config(const ModelFolder& folder);

// One setting of the search by its key in a recipe. Throws Error beginning with the key in double quotes:
// unknown values, and settings that are not read with the others as they are.
void set_decoding(DecodingSettings& settings, std::string_view key, const Json& value);

}  // namespace headwater
