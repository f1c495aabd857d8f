// Numbers as text, independent of the locale, and back.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

namespace headwater {

// %.9g: reads back to the same float. "nan", "inf", "-inf" for what is not finite.
std::string format_number(double value);

// Fixed point with `digits` after the point.
std::string format_fixed(double value, int digits);

// 19960216 -> "19,960,216".
std::string format_count(std::int64_t value);
// The same of counts that may be beyond 64 bits, rounded to a whole number: 4e20 ->
// "400,000,000,000,000,000,000".
std::string format_large_count(double value);

// "1 line", "2,000 lines": the count and the noun, which gets an s where the count is not 1.
std::string counted(std::int64_t value, std::string_view noun);

// "12.5 %" of part / whole, to a tenth; "<0.1 %" where that would be 0 of a part that is not, and 100.0 only
// of all. Of nothing "0.0 %". Both below 9e15.
std::string format_percent(std::int64_t part, std::int64_t whole);

// Whether the text is a decimal number, and nothing else: "15000", "-0.5", "1e-4".
bool is_decimal(std::string_view text);

// The whole text as std::from_chars reads it: leading zeros are fine, a plus sign is not, "inf" and "nan" are
// a double. Returns false, and leaves `value` as it was, for another text and for a number that does not fit.
template <class Number>
bool parse_number(std::string_view text, Number& value) {
  Number read{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  value = read;
  return true;
}

// A decimal number without leading zeros, plus sign and separators, and finite; a whole one also without
// point and exponent. Returns "" and sets `value`, or returns what is wrong, with the fix: `wanted a whole
// number, not "010" (leave out the leading zeros)`.
std::string read_number(std::string_view text, std::int64_t& value);
std::string read_number(std::string_view text, std::uint64_t& value);
std::string read_number(std::string_view text, double& value);

// The shortest text that reads back equal: "0.001", "1e-07", "15000".
std::string shortest(double value);

}  // namespace headwater
