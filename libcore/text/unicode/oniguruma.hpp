// Expressions of tokenizer.json: Oniguruma's in its syntax for Ruby and its Unicode mode, for ICU to run.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace headwater {

// The same expression for ICU with the flags UREGEX_MULTILINE and UREGEX_UNIX_LINES. Every class of
// characters becomes the set of its code points, so that the two libraries' readings of a name do not matter.
// `ranges` is what the sets may take, less what they took. Throws Error that names what cannot be said in
// ICU.
std::string icu_expression(std::string_view expression, std::size_t& ranges);

}  // namespace headwater
