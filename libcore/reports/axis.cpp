#include "reports/axis.hpp"

#include <algorithm>
#include <cmath>

#include "support/numbers.hpp"

namespace headwater {

std::vector<double> axis_ticks(double least, double most, int max_ticks) {
  const double magnitude = std::max(std::abs(least), std::abs(most));
  if (!(most - least > 1e-9 * magnitude)) {  // as good as one value: some room around it
    const double room = magnitude == 0 ? 1 : magnitude / 10;
    least -= room;
    most += room;
  }
  const double rough = (most - least) / max_ticks;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double digit : {5.0, 2.0, 1.0}) {
    // Floor and ceiling add up to two steps to the range.
    const double count =
        std::ceil(most / (digit * power) - 1e-9) - std::floor(least / (digit * power) + 1e-9);
    if (count <= max_ticks) step = digit * power;
  }
  const double first = std::floor(least / step + 1e-9), last = std::ceil(most / step - 1e-9);
  std::vector<double> ticks;
  for (int i = 0; i <= static_cast<int>(last - first); ++i) ticks.push_back((first + i) * step);
  return ticks;
}

std::string tick_text(double value, double step) {
  const int digits = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 9);
  return format_fixed(std::abs(value) < step / 1000 ? 0 : value, digits);
}

}  // namespace headwater
