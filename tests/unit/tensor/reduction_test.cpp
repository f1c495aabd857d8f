#include "unit/tensor/kernel_testing.hpp"

#include "tensor/kernels/naive.hpp"

namespace headwater {

using namespace testing;  // NOLINT: the tests' own helpers

TEST_CASE("the sum of squares is close and does not depend on threads or code path") {
  for (Index n : {0, 1, 15, 16, 17, 4095, 4096, 4097, 100'003}) {
    const Grid<float> g = random_grid(1, n, 1);
    const double expected = naive::sum_of_squares(n, widened(g).values.data());
    const double sum = kernels::sum_of_squares(n, g.values.data());
    CHECK(std::abs(sum - expected) <= 1e-12 * expected);  // the naive chain is the rougher one
    for (kernels::Isa isa : available_isas()) {
      const IsaScope scope(isa);
      for (int threads : {1, 2, 3, 8}) {
        ThreadPool(threads).run([&] { CHECK(kernels::sum_of_squares(n, g.values.data()) == sum); });
      }
    }
  }
}

TEST_CASE("a sum of squares is that of its blocks") {
  CHECK(kernels::sum_of_blocks({}) == 0);
  for (Index n : {1, 4096, 4097, 3 * 4096, 65 * 4096 + 5, 64 * 4096 * 3 + 100}) {
    const Grid<float> g = random_grid(1, n, 2);
    std::vector<double> of_blocks;
    for (Index i = 0; i < n; i += kernels::kSumBlock)
      of_blocks.push_back(kernels::sum_of_squares(std::min(kernels::kSumBlock, n - i), g.values.data() + i));
    CHECK(kernels::sum_of_blocks(of_blocks) == kernels::sum_of_squares(n, g.values.data()));
  }
}

TEST_CASE("the first value that is not finite is found") {
  Grid<float> x = random_grid(1, 200'000, 1);
  CHECK(kernels::find_not_finite(0, x.values.data()) == -1);
  CHECK(kernels::find_not_finite(x.cols, x.values.data()) == -1);
  for (Index at : {199'999, 150'000, 70'001, 17, 0}) {
    x.values[at] =
        at % 2 == 0 ? std::numeric_limits<float>::quiet_NaN() : -std::numeric_limits<float>::infinity();
    CHECK(kernels::find_not_finite(x.cols, x.values.data()) == at);
  }
}

}  // namespace headwater
