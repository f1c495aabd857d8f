#include "text/unicode/trimmed.hpp"

#include "support/utf8.hpp"
#include "text/unicode/unicode_properties.hpp"

namespace headwater {

std::string_view trimmed(std::string_view text) {
  std::size_t begin = 0, end = 0;
  bool is_inside = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t here = at, length = utf8_sequence_length(text.substr(at));
    const bool is_space = length > 0 && is_word_separator(next_code_point(text, at));
    if (length == 0) ++at;  // no character at all
    if (is_space) continue;
    if (!is_inside) begin = here;
    is_inside = true;
    end = at;
  }
  return text.substr(begin, end - begin);
}

}  // namespace headwater
