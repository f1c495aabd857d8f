// Lists of names in messages.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace headwater {

// The first few names, each as `shown` shows it: a, b, c, d, e, ... 20 in all.
std::string name_list(const std::vector<std::string>& names, std::string (*shown)(const std::string&));

// The same in quotes.
std::string quoted_list(const std::vector<std::string>& names);

// "a, b, c"; text_of(each) is a text.
template <class Range, class TextOf = std::identity>
std::string joined(const Range& all, std::string_view separator = ", ", const TextOf& text_of = {}) {
  std::string text;
  for (const auto& each : all) {
    if (!text.empty()) text += separator;
    text += std::invoke(text_of, each);
  }
  return text;
}

// "a, b or c", and "a, b and c".
std::string alternatives(const std::vector<std::string_view>& names);
std::string listed(const std::vector<std::string_view>& names);

// "unknown value "lsmt"; did you mean "lstm"?", or where no word is near "unknown value "x" (known: a, b)".
std::string unknown_word(std::string_view what, std::string_view typed,
                         const std::vector<std::string_view>& known);

}  // namespace headwater
