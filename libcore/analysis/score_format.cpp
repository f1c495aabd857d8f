#include "analysis/score_format.hpp"

#include <array>
#include <charconv>

namespace headwater {

std::string fixed(double value, int digits) {
  std::array<char, 400> text{};  // the largest double has 309 digits before the point
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, digits);
  return {text.data(), end.ptr};
}

}  // namespace headwater
