// What the scores share: the version in their signatures and numbers as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace headwater {

// Ends every signature: a score says who computed it.
inline constexpr std::string_view kScoreVersion = "headwater-0.1.0";

// `value` with `digits` behind the point, correctly rounded, independent of the locale.
std::string fixed(double value, int digits);

}  // namespace headwater
