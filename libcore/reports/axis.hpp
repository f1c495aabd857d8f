// The numbers along an axis of a picture.
#pragma once

#include <string>
#include <vector>

namespace headwater {

// Round numbers that cover [least, most] in at most `max_ticks` steps: for axes.
std::vector<double> axis_ticks(double least, double most, int max_ticks);
// Such a number as it is written: no more digits than the step between ticks needs.
std::string tick_text(double value, double step);

}  // namespace headwater
