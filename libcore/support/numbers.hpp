// Numbers as text, independent of the locale.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

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

}  // namespace headwater
