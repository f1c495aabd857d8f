// generation_config.json: how a translator searches, by the names of Hugging Face's library.
#pragma once

#include <filesystem>
#include <string_view>

#include "recipe/recipe.hpp"
#include "support/json.hpp"

namespace headwater {

// Sets a member for each setting of the search that is not the default; max_new_tokens is none of them.
void write_decoding(Json& config, DecodingSettings settings);
// And back; what is missing is the default. Throws Error beginning with the member's name.
DecodingSettings decoding_of(const Json& config);
// The same from the file in a model's folder; the defaults where there is none. Throws Error "path: what".
DecodingSettings read_decoding(const std::filesystem::path& files);

// One setting of the search by its key in a recipe. Throws Error beginning with the key in double quotes:
// unknown values, and settings that are not read with the others as they are.
void set_decoding(DecodingSettings& settings, std::string_view key, const Json& value);

}  // namespace headwater
