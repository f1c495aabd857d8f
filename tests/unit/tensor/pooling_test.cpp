#include "unit/tensor/kernel_testing.hpp"

#include <cmath>

#include "tensor/kernels/naive.hpp"

namespace headwater {
namespace {

using namespace testing;  // NOLINT: the tests' own helpers
using kernels::Pooling;

constexpr Pooling kPoolings[] = {Pooling::max, Pooling::mean, Pooling::first, Pooling::last};

}  // namespace

TEST_CASE("pooling: forward and backward agree with the naive kernel in double") {
  for (const std::vector<Index>& lengths :
       {std::vector<Index>{}, {1}, {3, 0, 1, 40}, {0}, {600, 7}, {2, 2, 2, 2, 2, 2, 2, 2, 2}}) {
    const std::vector<Index> offsets = offsets_of(lengths);
    const Index sequences = static_cast<Index>(lengths.size());
    for (Index width : {1, 7, 16, 33, 300}) {
      const Grid<float> x = random_grid(offsets.back(), width, 1, 3),
                        dy = random_grid(sequences, width, 2, 1);
      for (Pooling pooling : kPoolings) {
        Grid<float> y(sequences, width, 2);
        Grid<double> expected(sequences, width);
        std::vector<std::int32_t> winners(sequences * width, -7);
        std::vector<std::int32_t> expected_winners = winners;
        kernels::pool(pooling, x.view(), offsets, y.view(), winners.data());
        naive::pool(pooling, widened(x).view(), offsets, expected.view(), expected_winners.data());
        CHECK(worst_error(y, expected) <= (pooling == Pooling::mean ? 64 : 0));
        CHECK(y.has_intact_gaps());
        if (pooling == Pooling::max) CHECK(winners == expected_winners);
        for (bool accumulates : {false, true}) {
          Grid<float> dx = random_grid(offsets.back(), width, 3, 1);
          Grid<double> expected_dx = widened(dx);
          kernels::pool_backward(pooling, dy.view(), offsets, winners.data(), dx.view(), accumulates);
          naive::pool_backward(pooling, widened(dy).view(), offsets, winners.data(), expected_dx.view(),
                               accumulates);
          CHECK(worst_error(dx, expected_dx) <= 2);
          CHECK(dx.has_intact_gaps());
        }
      }
    }
  }
}

TEST_CASE("pooling: of equal values the first wins, and it alone gets the gradient") {
  Grid<float> x(4, 1), y(1, 1), dx(4, 1), dy(1, 1, 0, 3.0f);
  x.values = {1, 2, 2, -5};
  std::int32_t winner = -1;
  const std::vector<Index> offsets{0, 4};
  kernels::pool(Pooling::max, x.view(), offsets, y.view(), &winner);
  CHECK(y.values[0] == 2);
  CHECK(winner == 1);
  kernels::pool_backward(Pooling::max, dy.view(), offsets, &winner, dx.view(), false);
  CHECK(dx.values == std::vector<float>{0, 3, 0, 0});
}

TEST_CASE("pooling: a sequence without tokens gives zeros") {
  for (Pooling pooling : kPoolings) {
    Grid<float> x(0, 5), y(1, 5, 0, 9.0f);
    const std::vector<Index> offsets{0, 0};
    kernels::pool(pooling, x.view(), offsets, y.view(), nullptr);
    CHECK(y.values == std::vector<float>(5, 0.0f));
  }
}

TEST_CASE("picked rows: forward and backward agree with the naive kernel") {
  for (const std::vector<std::int32_t>& rows :
       {std::vector<std::int32_t>{}, {0}, {8}, {0, 1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 5, 7}}) {
    for (const Index width : {1, 16, 33, 5000}) {
      const auto count = static_cast<Index>(rows.size());
      const Grid<float> x = random_grid(9, width, 1), dy = random_grid(count, width, 2);
      Grid<float> y(count, width, 2);
      Grid<double> expected(count, width);
      kernels::take_rows(x.view(), rows, y.view());
      naive::take_rows(widened(x).view(), rows, expected.view());
      CHECK(worst_error(y, expected) == 0);
      CHECK(y.has_intact_gaps());
      for (const bool accumulates : {false, true}) {
        Grid<float> dx = random_grid(9, width, 3);
        Grid<double> expected_dx = widened(dx);
        kernels::take_rows_backward(dy.view(), rows, dx.view(), accumulates);
        naive::take_rows_backward(widened(dy).view(), rows, expected_dx.view(), accumulates);
        CHECK(worst_error(dx, expected_dx) <= 1);
        CHECK(dx.has_intact_gaps());
      }
    }
  }
}

TEST_CASE("rows that are picked several times get the sum of their gradients") {
  for (const std::vector<std::int32_t>& rows :
       {std::vector<std::int32_t>{0, 0, 0, 3, 4, 4, 8}, {5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5}}) {
    for (const Index width : {1, 33, 5000}) {  // blocks of all rows, and of three
      const auto count = static_cast<Index>(rows.size());
      const auto whole = [](Grid<float> grid) {  // sums of whole numbers are exact
        for (float& x : grid.values) x = std::round(100 * x);
        return grid;
      };
      const Grid<float> dy = whole(random_grid(count, width, 2));
      for (const bool accumulates : {false, true}) {
        Grid<float> dx = whole(random_grid(9, width, 3));
        Grid<double> expected = widened(dx);
        kernels::take_rows_backward(dy.view(), rows, dx.view(), accumulates);
        naive::take_rows_backward(widened(dy).view(), rows, expected.view(), accumulates);
        CHECK(worst_error(dx, expected) == 0);
      }
    }
  }
}

TEST_CASE("pooling: the same bits on every code path and for any number of threads") {
  const std::vector<Index> offsets = offsets_of({20, 239, 11, 0, 77, 512});
  const Grid<float> x = random_grid(offsets.back(), 37, 1), dy = random_grid(6, 37, 2);
  check_same_bits_everywhere([&] {
    std::vector<Grid<float>> results;
    for (Pooling pooling : kPoolings) {
      std::vector<std::int32_t> winners(6 * 37);
      results.emplace_back(6, 37);
      kernels::pool(pooling, x.view(), offsets, results.back().view(), winners.data());
      results.emplace_back(offsets.back(), 37);
      kernels::pool_backward(pooling, dy.view(), offsets, winners.data(), results.back().view(), false);
    }
    return results;
  });
}

}  // namespace headwater
