// The reliability diagram: how often predictions of a confidence are right.
#pragma once

#include <string>
#include <string_view>

#include "metrics/calibration.hpp"

namespace headwater {

// An SVG picture without scripts: a bar a bin from 0 to its share of right predictions, the gap to its mean
// confidence, the diagonal where both agree, and below how many samples a bin has.
std::string reliability_svg(const Calibration& calibration, std::string_view title);

}  // namespace headwater
