// What a model reads of a text that is longer than it was trained for.
#pragma once

#include "models/cached_model.hpp"

namespace headwater {

// Where the ids begin that a model of `length` positions reads of a text of `tokens` ids, to choose the next.
// A text that is too long loses its first half-length, as often as it must: the rest is read anew, at the
// positions from 0 on. So for half a length of new ids nothing is read twice, and it is a function of the
// text alone, however much of it was the prompt.
Index window_begin(Index tokens, Index length);

// What is read of each prompt at first.
Prompts windows_of(const Prompts& prompts, Index length);

}  // namespace headwater
