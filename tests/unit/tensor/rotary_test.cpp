#include "unit/tensor/kernel_testing.hpp"

#include <cmath>

#include "tensor/kernels/rotary/rotary.hpp"

namespace headwater {
namespace {

using namespace testing;  // NOLINT: the tests' own helpers

// Cosines and sines of some angles, one a position and pair.
Grid<float> angles(Index length, Index head_width) {
  Grid<float> table(length, head_width);
  for (Index p = 0; p < length; ++p) {
    for (Index i = 0; i < head_width / 2; ++i) {
      const double angle = static_cast<double>(p) * 0.7 / (1.0 + static_cast<double>(i));
      table.view().row(p)[i] = static_cast<float>(std::cos(angle));
      table.view().row(p)[i + head_width / 2] = static_cast<float>(std::sin(angle));
    }
  }
  return table;
}

}  // namespace

TEST_CASE("rotary positions: pairs of each head are turned by the angle of their position, and back again") {
  const std::vector<Index> positions{0, 1, 4, 2, 2, 5, 3};
  for (const Index heads : {1, 3}) {
    for (const Index width : {2, 6, 64}) {
      Grid<float> table = angles(6, width);
      const Grid<float> x = random_grid(7, heads * width, 1, 3);
      Grid<float> y(7, heads * width, 2);
      Grid<double> expected(7, heads * width);
      for (Index t = 0; t < 7; ++t) {
        for (Index i = 0; i < heads * width; ++i) {
          const Index in_head = i % width, pair = in_head % (width / 2), first = i - in_head + pair;
          const double a = static_cast<double>(x.view().row(t)[first]),
                       b = static_cast<double>(x.view().row(t)[first + width / 2]);
          const float* const row = table.view().row(positions[t]);
          const auto c = static_cast<double>(row[pair]), s = static_cast<double>(row[pair + width / 2]);
          expected.view().row(t)[i] = in_head < width / 2 ? a * c - b * s : b * c + a * s;
        }
      }
      kernels::rotate(x.view(), positions, table.view(), kernels::Turn::forth, y.view(), false);
      CHECK(worst_error(y, expected) <= 4);
      CHECK(y.has_intact_gaps());
      Grid<float> in_place = x;
      kernels::rotate(in_place.view(), positions, table.view(), kernels::Turn::forth, in_place.view(), false);
      kernels::rotate(y.view(), positions, table.view(), kernels::Turn::back, y.view(), false);
      CHECK(worst_error(y, widened(x)) <= 16);
      kernels::rotate(in_place.view(), positions, table.view(), kernels::Turn::back, y.view(), true);
      Grid<double> twice = widened(x);
      for (double& value : twice.values) value *= 2;
      CHECK(worst_error(y, twice) <= 16);
    }
  }
}

}  // namespace headwater
