// Words of a line: maximal runs without white space.
#pragma once

#include <string_view>

#include "support/utf8.hpp"
#include "text/unicode/unicode_properties.hpp"

namespace headwater {

// Calls use(word) for each word of a well-formed text, in order.
template <class Use>
void for_each_word(std::string_view text, const Use& use) {
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t here = at;
    const auto byte = static_cast<unsigned char>(text[at]);
    const char32_t c = byte < 0x80 ? static_cast<char32_t>(text[at++]) : next_code_point(text, at);
    if (!is_word_separator(c)) continue;
    if (here > begin) use(text.substr(begin, here - begin));
    begin = at;
  }
  if (begin < text.size()) use(text.substr(begin));
}

}  // namespace headwater
