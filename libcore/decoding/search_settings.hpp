// What a model's generation_config.json says of decoding, as the search reads it.
#pragma once

#include <optional>

#include "decoding/generation_settings.hpp"
#include "families/generation_config.hpp"

namespace headwater {

// Puts what a published model's files say over `search`: end tokens, forced and forbidden ones, penalties.
// Ids from `vocabulary` on are no tokens.
void set_published(GenerationSettings& search, const GenerationConfig& config, std::int64_t vocabulary);

// How the files draw tokens, where anything asks for that. Throws Error where they ask for what is not done.
SamplingSettings sampling_settings(const GenerationConfig& config);
// The same; nothing where the files ask for a search.
std::optional<SamplingSettings> sampling_of_files(const GenerationConfig& config);

}  // namespace headwater
