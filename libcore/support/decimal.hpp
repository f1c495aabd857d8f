// Numbers that somebody wrote, in a recipe or on a command line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace headwater {

// Whether the text is a decimal number, and nothing else: "15000", "-0.5", "1e-4".
bool is_decimal(std::string_view text);

// A decimal number without leading zeros, plus sign and separators, and finite; a whole one also without
// point and exponent. Returns "" and sets `value`, or returns what is wrong, with the fix: `wanted a whole
// number, not "010" (leave out the leading zeros)`.
std::string read_number(std::string_view text, std::int64_t& value);
std::string read_number(std::string_view text, std::uint64_t& value);
std::string read_number(std::string_view text, double& value);

// The shortest text that reads back equal: "0.001", "1e-07", "15000".
std::string shortest(double value);

}  // namespace headwater
