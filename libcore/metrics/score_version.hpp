// Who computed a score.
#pragma once

#include <string_view>

namespace headwater {

// Ends every signature.
inline constexpr std::string_view kScoreVersion = "headwater-0.1.0";

}  // namespace headwater
