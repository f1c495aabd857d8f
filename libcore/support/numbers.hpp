// Numbers as text, independent of the locale.
#pragma once

#include <cstdint>
#include <string>

namespace headwater {

// %.9g: reads back to the same float. "nan", "inf", "-inf" for what is not finite.
std::string format_number(double value);

// Fixed point with `digits` after the point.
std::string format_fixed(double value, int digits);

// 19960216 -> "19,960,216".
std::string format_count(std::int64_t value);

}  // namespace headwater
