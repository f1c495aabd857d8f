#include "tensor/kernels/naive.hpp"
#include "unit/tensor/kernel_testing.hpp"

#include <doctest/doctest.h>

namespace headwater {
namespace {

using namespace testing;  // NOLINT: the tests' own helpers

// Ids of a batch: small ones often, as words are.
std::vector<std::int32_t> random_ids(Index count, Index vocabulary) {
  std::vector<std::int32_t> ids(count);
  for (std::size_t t = 0; t < ids.size(); ++t) {
    const float uniform = random_uniform({.seed = 11}, t);
    ids[t] = static_cast<std::int32_t>(uniform * uniform * static_cast<float>(vocabulary));
  }
  return ids;
}

Grid<float> backward(const std::vector<std::int32_t>& ids, const ReductionTree& plan, Index vocabulary,
                     Index width, bool accumulates) {
  Grid<float> dtable(vocabulary, width, width % 4, 0.25f);
  const Grid<float> dy = random_grid(plan.rows, width, 5, width % 3);
  std::vector<std::int32_t> order(ids.size()), starts(static_cast<std::size_t>(vocabulary) + 1, 7);
  kernels::embed_backward(ids, dy.view(), 1.5f, plan, dtable.view(), accumulates, order, starts);
  return dtable;
}

}  // namespace

TEST_CASE("embedding: forward agrees with the naive kernel in double, with and without positions") {
  for (Index tokens : kSizes) {
    for (Index width : {1, 7, 16, 33, 130}) {
      const std::vector<std::int32_t> ids = random_ids(tokens, 40), places = random_ids(tokens, 20);
      const Grid<float> table = random_grid(40, width, 1, 3), positions = random_grid(20, width, 2, 1);
      const Grid<double> wide_table = widened(table), wide_positions = widened(positions);
      for (bool has_positions : {false, true}) {
        Grid<float> y(tokens, width, 2);
        Grid<double> expected(tokens, width);
        kernels::embed(ids, table.view(), 1.25f, places, has_positions ? positions.view() : ConstMatrix(),
                       y.view());
        naive::embed(ids, wide_table.view(), 1.25, places,
                     has_positions ? wide_positions.view() : MatrixOf<const double>(), expected.view());
        CHECK(worst_error(y, expected) <= 2);
        CHECK(y.has_intact_gaps());
      }
    }
  }
}

TEST_CASE("embedding: backward agrees with the naive kernel, other rows stay") {
  for (const std::vector<Index>& lengths :
       {std::vector<Index>{}, {1}, {0, 1, 7, 8, 9, 15, 16, 17, 33, 65, 130}, {20, 1300, 11}, {4, 4, 4}}) {
    ReductionTree plan;
    plan.assign(offsets_of(lengths));
    for (Index vocabulary : {1, 30, 1000}) {
      const std::vector<std::int32_t> ids = random_ids(plan.rows, vocabulary);
      for (Index width : {1, 16, 33, 130}) {
        for (bool accumulates : {false, true}) {
          INFO("tokens ", plan.rows, ", vocabulary ", vocabulary, ", width ", width, ", accumulate ",
               accumulates);
          const Grid<float> dtable = backward(ids, plan, vocabulary, width, accumulates);
          Grid<double> expected(vocabulary, width, 0, 0.25);
          naive::embed_backward(ids, widened(random_grid(plan.rows, width, 5)).view(), 1.5, expected.view(),
                                accumulates);
          // Each of n additions rounds a partial sum of about sqrt(n) by at most one unit.
          CHECK(worst_error(dtable, expected) <= 16 + static_cast<double>(plan.rows) / 2);
          CHECK(dtable.has_intact_gaps());
        }
      }
    }
  }
}

TEST_CASE("embedding: a row's gradient is the reduction of its chains, leaves without the id skipped") {
  // One token a sequence and 8 sequences make 8 leaves: ((a+b)+(c+d))+((e+f)+(g+h)). Id 0 stands in sequences
  // 1, 4 and 7.
  const std::vector<std::int32_t> ids{1, 0, 1, 1, 0, 1, 1, 0};
  ReductionTree plan;
  plan.assign(offsets_of(std::vector<Index>(8, 1)));
  Grid<float> dy(8, 1), dtable(2, 1);
  dy.values = {9, 1, 9, 9, 0x1p-24f, 9, 9, 0x1p-24f};
  std::vector<std::int32_t> order(8), starts(3);
  kernels::embed_backward(ids, dy.view(), 1, plan, dtable.view(), false, order, starts);
  CHECK(dtable.values[0] == 1 + 0x1p-23f);  // a chain from the left would have lost both small ones
}

TEST_CASE("embedding: the same bits on every code path and for any number of threads") {
  ReductionTree plan;
  plan.assign(offsets_of({20, 1300, 11, 0, 77}));
  const std::vector<std::int32_t> ids = random_ids(plan.rows, 50);
  const Grid<float> table = random_grid(50, 37, 1), positions = random_grid(50, 37, 2);
  check_same_bits_everywhere([&] {
    Grid<float> y(plan.rows, 37);
    kernels::embed(ids, table.view(), 1.1f, ids, positions.view(), y.view());
    return std::vector<Grid<float>>{y, backward(ids, plan, 50, 37, true),
                                    backward(ids, plan, 50, 260, false)};
  });
}

}  // namespace headwater

namespace headwater {

using namespace testing;  // NOLINT: the tests' own helpers

TEST_CASE("sparse rows: a product agrees with the one of the written-out matrix, forward and backward") {
  const std::vector<Index> offsets = offsets_of({3, 0, 1, 5, 2, 2, 2, 2, 2, 1});
  const Index rows = static_cast<Index>(offsets.size()) - 1, columns = 6;
  std::vector<std::int32_t> ids;
  std::vector<float> values;
  Grid<double> dense(rows, columns);
  for (Index s = 0; s < rows; ++s) {
    for (Index e = offsets[s]; e < offsets[static_cast<std::size_t>(s) + 1]; ++e) {
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
        sum = static_cast<double>(bias.values[c]);
        for (Index i = 0; i < columns; ++i) {
          sum += dense.view().row(s)[i] * static_cast<double>(w.view().row(i)[c]);
          expected_dw.view().row(i)[c] += dense.view().row(s)[i] * static_cast<double>(dy.view().row(s)[c]);
        }
      }
    }
    for (Index e = 0; e < offsets.back(); ++e) {
      for (Index c = 0; c < width; ++c)
        dw.view().row(ids[e])[c] += static_cast<double>(dentries.view().row(e)[c]);
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
