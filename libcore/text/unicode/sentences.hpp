// Sentences of a text, by the rules of Unicode (UAX 29) as ICU has them.
#pragma once

#include <string_view>
#include <vector>

namespace headwater {

// Parts of `text`, well-formed UTF-8, without the white space around them; none is empty. The line breaks of
// HTML, <br />, end sentences and are left out. Throws Error where ICU fails.
std::vector<std::string_view> sentences_of(std::string_view text);

}  // namespace headwater
