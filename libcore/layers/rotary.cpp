#include "layers/rotary.hpp"

#include "support/math_functions.hpp"

namespace headwater {

RotaryTable::RotaryTable(Index length, Index head_width)
    : length_(length), head_width_(head_width), values_(static_cast<std::size_t>(length * head_width)) {
  const Index half = head_width / 2;
  Real* to = values_.data();
  for (Index p = 0; p < length; ++p, to += head_width) {
    for (Index i = 0; i < half; ++i) {
      const double angle = static_cast<double>(p) / power_of_ten_thousand(static_cast<double>(2 * i) /
                                                                          static_cast<double>(head_width));
      to[i] = static_cast<Real>(cosine(angle));
      to[i + half] = static_cast<Real>(sine(angle));
    }
  }
}

}  // namespace headwater
