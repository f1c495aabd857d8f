#include "unit/tensor/kernel_testing.hpp"

#include "tensor/kernels/naive.hpp"

namespace headwater {
namespace {

using namespace testing;  // NOLINT: the tests' own helpers

// f(rows, cols, gap) for all pairs of test sizes; the last is larger than one parallel block.
template <class F>
void for_each_size(const F& f) {
  for (Index rows : kSizes) {
    for (Index cols : {1, 7, 8, 9, 15, 16, 17, 33, 65, 130}) {
      INFO("rows ", rows, ", cols ", cols);
      f(rows, cols, cols % 3);
    }
  }
  f(70, 1500, 5);
}

// Every elementwise kernel, on the same inputs.
std::vector<Grid<float>> all_kernels(Index rows, Index cols, Index gap) {
  const Grid<float> a = random_grid(rows, cols, 1, gap, 4), b = random_grid(rows, cols, 2, gap);
  const RandomStream stream{.seed = 9, .purpose = Purpose::dropout, .layer = 1, .step = 2};
  std::vector<Grid<float>> y(11, Grid<float>(rows, cols, gap, 0.5f));
  kernels::fill(y[0].view(), 3);
  kernels::add(a.view(), b.view(), y[1].view());
  kernels::accumulate(a.view(), y[2].view());
  kernels::scale(a.view(), 1.7f, y[3].view(), false);
  kernels::scale(a.view(), 1.7f, y[4].view(), true);
  kernels::copy(a.view(), y[5].view());
  kernels::dropout(a.view(), 0.3f, stream, 0x1FFFFFFFFDull, y[6].view(), false);
  kernels::dropout(a.view(), 0.3f, stream, 3, y[7].view(), true);
  kernels::softmax(a.view(), y[8].view());
  kernels::softmax_backward(a.view(), b.view(), y[9].view(), true);
  kernels::multiply(a.view(), b.view(), y[10].view());
  Grid<float> logs(1, rows);
  kernels::log_sum_exp(a.view(), logs.values.data());
  y.push_back(logs);
  return y;
}

std::vector<Grid<double>> all_naive(Index rows, Index cols) {
  const Grid<double> a = widened(random_grid(rows, cols, 1, 0, 4)), b = widened(random_grid(rows, cols, 2));
  const RandomStream stream{.seed = 9, .purpose = Purpose::dropout, .layer = 1, .step = 2};
  std::vector<Grid<double>> y(11, Grid<double>(rows, cols, 0, 0.5));
  naive::fill(y[0].view(), 3);
  naive::add(a.view(), b.view(), y[1].view());
  naive::accumulate(a.view(), y[2].view());
  naive::scale(a.view(), double{1.7f}, y[3].view(), false);
  naive::scale(a.view(), double{1.7f}, y[4].view(), true);
  naive::copy(a.view(), y[5].view());
  naive::dropout(a.view(), 0.3f, stream, 0x1FFFFFFFFDull, y[6].view(), false);
  naive::dropout(a.view(), 0.3f, stream, 3, y[7].view(), true);
  naive::softmax(a.view(), y[8].view());
  naive::softmax_backward(a.view(), b.view(), y[9].view(), true);
  naive::multiply(a.view(), b.view(), y[10].view());
  Grid<double> logs(1, rows);
  naive::log_sum_exp(a.view(), logs.values.data());
  y.push_back(logs);
  return y;
}

}  // namespace

TEST_CASE("elementwise kernels agree with the naive ones in double") {
  for_each_size([](Index rows, Index cols, Index gap) {
    const std::vector<Grid<float>> actual = all_kernels(rows, cols, gap);
    const std::vector<Grid<double>> expected = all_naive(rows, cols);
    // In rounding units: one operation each; a row's gradient of softmax subtracts the sum of cols products
    // of up to 4.
    const double tolerance[] = {0, 1, 1, 1, 1, 0, 2, 3, 8, 64 + static_cast<double>(cols), 1, 8};
    for (std::size_t i = 0; i < actual.size(); ++i) {
      INFO("kernel ", i);
      CHECK(worst_error(actual[i], expected[i]) <= tolerance[i]);
      CHECK(actual[i].has_intact_gaps());
    }
  });
}

TEST_CASE("elementwise kernels: the same bits on every code path and for any number of threads") {
  for (Index cols : {1, 15, 33, 130}) {
    check_same_bits_everywhere([&] { return all_kernels(65, cols, cols % 3); });
  }
  check_same_bits_everywhere([] { return all_kernels(90, 1500, 1); });
}

TEST_CASE("elementwise kernels may write where they read") {
  const Grid<float> x = random_grid(9, 50, 1);
  const auto check_in_place = [&](const auto& kernel) {
    Grid<float> apart(9, 50), in_place = x;
    kernel(x.view(), apart.view());
    kernel(in_place.view(), in_place.view());
    CHECK(same_bits(apart, in_place));
  };
  check_in_place([](ConstMatrix a, Matrix y) { kernels::add(a, a, y); });
  check_in_place([](ConstMatrix a, Matrix y) { kernels::multiply(a, a, y); });
  check_in_place([](ConstMatrix a, Matrix y) { kernels::scale(a, 3, y, false); });
  check_in_place([](ConstMatrix a, Matrix y) { kernels::dropout(a, 0.5f, {.seed = 1}, 5, y, false); });
  check_in_place([](ConstMatrix a, Matrix y) { kernels::softmax(a, y); });
}

TEST_CASE("dropout follows the words of its stream") {
  const RandomStream stream{.seed = 123456789012345, .purpose = Purpose::dropout, .layer = 7, .step = 8};
  Grid<float> ones(3, 1001, 2, 1), y(3, 1001, 1);
  for (std::uint64_t first : {0ull, 1ull, 2ull, 3ull, 0xFFFFFFFFull, 0x3FFFFFFFEull}) {
    kernels::dropout(ones.view(), 0.5f, stream, first, y.view(), false);
    for (Index r = 0; r < 3; ++r) {
      for (Index c = 0; c < 1001; ++c) {
        const bool is_kept =
            random_word(stream, first + static_cast<std::uint64_t>(r * 1001 + c)) >= 0x80000000u;
        REQUIRE(y.view().row(r)[c] == (is_kept ? 2.0f : 0.0f));
      }
    }
  }
}

TEST_CASE("softmax survives large and infinite logits") {
  const float infinity = std::numeric_limits<float>::infinity();
  Grid<float> x(3, 3), y(3, 3);
  x.values = {1000, 1000, -1000, -infinity, 5, -infinity, 3e38f, -3e38f, 0};
  kernels::softmax(x.view(), y.view());
  const float expected[] = {0.5f, 0.5f, 0, 0, 1, 0, 1, 0, 0};
  for (std::size_t i = 0; i < 9; ++i) CHECK(y.values[i] == expected[i]);
}

TEST_CASE("argmax takes the first of equals and never a skipped one") {
  for (Index cols : {2, 7, 16, 17, 33, 130, 20'000}) {
    Grid<float> x = random_grid(5, cols, 1, 2);
    for (float& value : x.values) value = std::floor(value * 3);  // many equals
    const std::vector<std::int32_t> skip{static_cast<std::int32_t>(cols / 2), 0};
    for (const std::vector<std::int32_t>& skipped : {std::vector<std::int32_t>{}, {0}, skip}) {
      if (static_cast<Index>(skipped.size()) >= cols) continue;
      std::vector<std::int32_t> best(5), expected(5);
      kernels::argmax(x.view(), skipped, best);
      naive::argmax(widened(x).view(), skipped, expected);
      CHECK(best == expected);
    }
  }
}

}  // namespace headwater
