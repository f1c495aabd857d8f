#include "support/name_list.hpp"

#include <algorithm>

#include "support/error.hpp"

namespace headwater {

std::string name_list(const std::vector<std::string>& names, std::string (*shown)(const std::string&)) {
  constexpr std::size_t kMost = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i)
    text += (i > 0 ? ", " : "") + shown(names[i]);
  if (names.size() > kMost) text += ", ... " + std::to_string(names.size()) + " in all";
  return text;
}

std::string quoted_list(const std::vector<std::string>& names) {
  return name_list(names, [](const std::string& name) { return quote(name); });
}

namespace {

std::string joined_but_last(const std::vector<std::string_view>& names, std::string_view before_last) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text.append(i == 0 ? "" : i + 1 == names.size() ? before_last : ", ").append(names[i]);
  return text;
}

}  // namespace

std::string alternatives(const std::vector<std::string_view>& names) {
  return joined_but_last(names, " or ");
}

std::string listed(const std::vector<std::string_view>& names) { return joined_but_last(names, " and "); }

std::string unknown_word(std::string_view what, std::string_view typed,
                         const std::vector<std::string_view>& known) {
  const std::string_view nearest = nearest_word(typed, known);
  return "unknown " + std::string(what) + " " + quote(typed) +
         (nearest.empty() ? " (known: " + joined(known) + ")" : "; did you mean " + quote(nearest) + "?");
}

}  // namespace headwater
