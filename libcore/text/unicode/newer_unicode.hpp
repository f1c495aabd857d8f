// The characters of Unicode 15.1 and 16.0, which an older ICU does not know and Hugging Face's library does.
#pragma once

#include <cstdint>
#include <span>

namespace headwater {

struct NewerCharacters {
  char32_t first = 0, last = 0;
  std::int8_t category = 0;  // ICU's number
  bool is_alphabetic = false;
};
// In order.
std::span<const NewerCharacters> newer_characters();

// ICU's number of the general category, in Unicode 16.0 at least.
int general_category(char32_t code_point);

}  // namespace headwater
