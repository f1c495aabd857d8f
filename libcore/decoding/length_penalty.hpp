// What the log-probability of a hypothesis is divided by.
#pragma once

#include <cstdint>

#include "decoding/generation_settings.hpp"

namespace headwater {

// The penalty of `tokens` >= 1, the end token counted. Its bits are the same on every machine.
double length_penalty(const GenerationSettings& settings, std::int64_t tokens);

}  // namespace headwater
