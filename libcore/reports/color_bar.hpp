// The legend of a colour scale: a bar of its colours with numbers below.
#pragma once

#include <string>

#include "reports/color_scale.hpp"

namespace headwater {

struct ColorBar {
  double x = 0, y = 0;  // of its upper left corner
  double width = 220;
  double least = 0, most = 1;  // the numbers of its ends
  Color (*scale)(double share) = sequential_color;
};

inline constexpr double kColorBarHeight = 26;  // with the numbers
// One bar a document: its gradient has a name.
std::string color_bar_svg(const ColorBar& bar);

}  // namespace headwater
