// Numbers that somebody wrote, in a recipe, a file or on a command line.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

namespace headwater {

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
