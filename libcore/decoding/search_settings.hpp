// What a recipe, or a model's generation_config.json, says of decoding, as the search reads it.
#pragma once

#include "decoding/generation_settings.hpp"
#include "recipe/recipe.hpp"

namespace headwater {

// n_best is 1, and which tokens mean what is the caller's to say.
GenerationSettings search_settings(const DecodingSettings& decoding);

}  // namespace headwater
