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

std::string grouped(std::string digits) {
  const std::size_t first = digits[0] == '-' ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

}  // namespace

std::string format_number(double value) { return format(value, std::chars_format::general, 9); }

std::string format_fixed(double value, int digits) { return format(value, std::chars_format::fixed, digits); }

std::string format_count(std::int64_t value) { return grouped(std::to_string(value)); }

std::string format_large_count(double value) {
  return std::isfinite(value) ? grouped(format_fixed(std::round(value), 0)) : format_number(value);
}

std::string counted(std::int64_t value, std::string_view noun) {
  return format_count(value) + " " + std::string(noun) + (value == 1 ? "" : "s");
}

std::string format_percent(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return "0.0 %";
  const std::int64_t rounded = (part * 1000 + whole / 2) / whole;
  const std::int64_t tenths = rounded == 1000 && part < whole ? 999 : rounded;
  if (tenths == 0 && part > 0) return "<0.1 %";
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %";
}

}  // namespace headwater
