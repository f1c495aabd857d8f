#include "support/numbers.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "support/error.hpp"

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

std::string shortest(double value) {
  std::array<char, 32> out{};
  const auto [end, failed] = std::to_chars(out.data(), out.data() + out.size(), value);
  return failed == std::errc() ? std::string(out.data(), end) : "0";
}

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool has_digits_only(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// -?(0|[1-9][0-9]*) and nothing else.
bool is_whole(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return has_digits_only(text) && (text.size() == 1 || text[0] != '0');
}

// What stands where a number should; the fix is in words because the text may be anything.
std::string not_a_number(std::string_view text, std::string_view what) {
  const std::string prefix = "wanted " + std::string(what) + ", not " + quote(text);
  std::string_view digits = text;
  if (digits.starts_with('-') || digits.starts_with('+')) digits.remove_prefix(1);
  std::string lower(digits);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (lower.starts_with('.')) lower.erase(0, 1);  // as YAML writes them
  if (lower == "inf" || lower == "infinity" || lower == "nan") return prefix + " (write a finite number)";
  if (text.starts_with('+')) return prefix + " (leave out the plus sign)";
  if (digits.size() > 1 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'o' || digits[1] == 'b'))
    return prefix + " (write it in decimal)";
  if (digits.find_first_of("_,") != std::string_view::npos)
    return prefix + " (write the digits without separators)";
  if (digits.size() > 1 && digits[0] == '0' && is_digit(digits[1]))
    return prefix + " (leave out the leading zeros)";
  if (digits.starts_with('.')) return prefix + " (write 0 before the point)";
  return prefix + " (write it in decimal digits)";
}

template <class Whole>
std::string read_whole(std::string_view text, Whole& value, std::string_view what) {
  if (!is_whole(text)) {
    if (!is_decimal(text)) return not_a_number(text, what);
    return "wanted " + std::string(what) + ", not " + quote(text) + " (write it without point and exponent)";
  }
  if (parse_number(text, value)) return {};
  return quote(text) + (text.starts_with('-') ? " is too small" : " is too large") + " (write " +
         std::string(what) + " of at most 64 bits)";
}

}  // namespace

// -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)?
bool is_decimal(std::string_view text) {
  const std::size_t exponent = text.find_first_of("eE");
  if (exponent != std::string_view::npos) {
    std::string_view power = text.substr(exponent + 1);
    if (power.starts_with('-') || power.starts_with('+')) power.remove_prefix(1);
    if (!has_digits_only(power)) return false;
    text = text.substr(0, exponent);
  }
  const std::size_t point = text.find('.');
  if (point != std::string_view::npos) {
    if (!has_digits_only(text.substr(point + 1))) return false;
    text = text.substr(0, point);
  }
  return is_whole(text);
}

std::string read_number(std::string_view text, std::int64_t& value) {
  return read_whole(text, value, "a whole number");
}

std::string read_number(std::string_view text, std::uint64_t& value) {
  return read_whole(text, value, "a whole number from 0 up");
}

std::string read_number(std::string_view text, double& value) {
  if (!is_decimal(text)) return not_a_number(text, "a number");
  double read = 0;
  if (!parse_number(text, read) || !std::isfinite(read))
    return quote(text) + " is beyond what a double can hold (write a smaller exponent)";
  value = read;
  return {};
}

}  // namespace headwater
