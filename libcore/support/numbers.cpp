#include "support/numbers.hpp"

#include <charconv>
#include <cmath>

namespace headwater {

namespace {

std::string format(double value, std::chars_format form, int precision) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[400];  // the largest double has 309 digits before the point
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value, form, precision);
  return error == std::errc() ? std::string(buffer, end) : std::string("nan");
}

}  // namespace

std::string format_number(double value) { return format(value, std::chars_format::general, 9); }

std::string format_fixed(double value, int digits) { return format(value, std::chars_format::fixed, digits); }

std::string format_count(std::int64_t value) {
  std::string digits = std::to_string(value);
  const std::size_t first = digits[0] == '-' ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

}  // namespace headwater
