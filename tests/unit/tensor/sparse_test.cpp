#include "unit/tensor/kernel_testing.hpp"

namespace headwater {

using namespace testing;  // NOLINT: the tests' own helpers

TEST_CASE("sparse rows: a product agrees with the one of the written-out matrix, forward and backward") {
  const std::vector<Index> offsets = offsets_of({3, 0, 1, 5, 2, 2, 2, 2, 2, 1});
  const Index rows = static_cast<Index>(offsets.size()) - 1, columns = 6;
  std::vector<std::int32_t> ids;
  std::vector<float> values;
  Grid<double> dense(rows, columns);
  for (Index s = 0; s < rows; ++s) {
    for (Index e = offsets[static_cast<std::size_t>(s)]; e < offsets[static_cast<std::size_t>(s) + 1]; ++e) {
      ids.push_back(static_cast<std::int32_t>((e * e + 1) % columns));  // an id may occur twice in a row
      values.push_back(0.25f * static_cast<float>(e) - 1);
      dense.view().row(s)[ids.back()] += static_cast<double>(values.back());
    }
  }
  for (Index width : {1, 16, 37}) {
    const Grid<float> w = random_grid(columns, width, 1, 3), bias = random_grid(1, width, 2),
                      dy = random_grid(rows, width, 3, 1);
    Grid<float> y(rows, width, 2), dentries(offsets.back(), width);
    kernels::sparse_linear(ids, values, offsets, w.view(), bias.values.data(), y.view());
    kernels::sparse_linear_backward(values, offsets, dy.view(), dentries.view());
    Grid<double> expected(rows, width), dw(columns, width), expected_dw(columns, width);
    for (Index s = 0; s < rows; ++s) {
      for (Index c = 0; c < width; ++c) {
        double& sum = expected.view().row(s)[c];
        sum = static_cast<double>(bias.values[static_cast<std::size_t>(c)]);
        for (Index i = 0; i < columns; ++i) {
          sum += dense.view().row(s)[i] * static_cast<double>(w.view().row(i)[c]);
          expected_dw.view().row(i)[c] += dense.view().row(s)[i] * static_cast<double>(dy.view().row(s)[c]);
        }
      }
    }
    for (Index e = 0; e < offsets.back(); ++e) {
      for (Index c = 0; c < width; ++c)
        dw.view().row(ids[static_cast<std::size_t>(e)])[c] += static_cast<double>(dentries.view().row(e)[c]);
    }
    CHECK(worst_error(y, expected) <= 16);
    CHECK(y.has_intact_gaps());
    for (std::size_t i = 0; i < dw.values.size(); ++i)
      CHECK(dw.values[i] == doctest::Approx(expected_dw.values[i]).epsilon(1e-5));
  }
}

TEST_CASE("transpose: every element, for whole and partial groups of rows") {
  for (Index rows : kSizes) {
    for (Index cols : kSizes) {
      const Grid<float> x = random_grid(rows, cols, 1, 3);
      Grid<float> y(cols, rows, 2);
      kernels::transpose(x.view(), y.view());
      bool is_right = true;
      for (Index r = 0; r < rows; ++r) {
        for (Index c = 0; c < cols; ++c) is_right &= y.view().row(c)[r] == x.view().row(r)[c];
      }
      CHECK(is_right);
      CHECK(y.has_intact_gaps());
    }
  }
}

}  // namespace headwater
