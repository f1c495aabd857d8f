// What becomes of the matches at which a piece of text is split (libcore/FORMATS.md, tokenizer.json).
#pragma once

#include <string>
#include <string_view>

#include "support/json.hpp"
#include "text/tokenizer/text_part.hpp"

namespace headwater {

enum class SplitBehavior { removed, isolated, merged_with_previous, merged_with_next, contiguous };

// The member "behavior"; Error for another word.
SplitBehavior read_split_behavior(const Json& part, const std::string& where);

// The pieces from the left, none empty. `inverts`: what stands between the matches takes their place.
TextSpans split_at(std::string_view text, const TextSpans& matches, SplitBehavior behavior,
                   bool inverts = false);

}  // namespace headwater
