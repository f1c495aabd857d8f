#include "tensor/kernels/naive.hpp"
#include "unit/tensor/kernel_testing.hpp"

namespace headwater {

using namespace testing;  // NOLINT: the tests' own helpers

TEST_CASE("Fourier mixing: agrees with the sums of the definition, for lengths of every kind") {
  // Powers of two, products of small primes, primes up to 13, and lengths that need a chirp: 17, 19, 34, 239.
  for (Index length :
       {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16, 17, 19, 25, 34, 49, 60, 77, 121, 143, 169, 239}) {
    for (Index width : {1, 2, 7, 16, 17, 31, 32, 33, 48, 100}) {
      if (length > 60 && width > 33) continue;
      INFO("length ", length, ", width ", width);
      const std::vector<Index> offsets = offsets_of({2, length, 0, 1});
      const Grid<float> x = random_grid(offsets.back(), width, 1, 3);
      for (bool accumulates : {false, true}) {
        Grid<float> y = random_grid(offsets.back(), width, 3, 2);
        Grid<double> expected = widened(y);
        kernels::fourier_mix(x.view(), offsets, y.view(), accumulates);
        naive::fourier_mix(widened(x).view(), offsets, expected.view(), accumulates);
        // Sums of n·D numbers of size 1 are about their root; the rounding of a fast transform is relative to
        // that and grows with the number of passes.
        const double magnitude = std::sqrt(static_cast<double>(length * width));
        CHECK(worst_error(y, expected) <= 4 + 8 * magnitude);
        CHECK(y.has_intact_gaps());
      }
    }
  }
}

TEST_CASE("Fourier mixing: twice over the tokens and the width is a reflection") {
  // Re F_n Re(F_n X F_D) F_D keeps the even part: for X = X reflected, twice is n·D·X.
  const Index n = 600, D = 256;
  Grid<float> x(n, D);
  for (Index t = 0; t < n; ++t) {
    for (Index c = 0; c < D; ++c) {
      const std::uint64_t element = static_cast<std::uint64_t>(std::min(t, n - t) * D + std::min(c, D - c));
      x.view().row(t)[c] = random_uniform({.seed = 4}, element) - 0.5f;
    }
  }
  Grid<float> once(n, D), twice(n, D);
  const std::vector<Index> offsets{0, n};
  kernels::fourier_mix(x.view(), offsets, once.view(), false);
  kernels::fourier_mix(once.view(), offsets, twice.view(), false);
  double worst = 0;
  for (std::size_t i = 0; i < x.values.size(); ++i)
    worst = std::max(worst, std::abs(static_cast<double>(twice.values[i]) / (600.0 * 256.0) -
                                     static_cast<double>(x.values[i])));
  CHECK(worst <= 2e-6);
}

TEST_CASE("Fourier mixing: the same bits on every code path and for any number of threads") {
  const std::vector<Index> offsets = offsets_of({20, 239, 11, 0, 77, 512});
  const Grid<float> x = random_grid(offsets.back(), 37, 1);
  check_same_bits_everywhere([&] {
    std::vector<Grid<float>> results(1, Grid<float>(offsets.back(), 37));
    kernels::fourier_mix(x.view(), offsets, results.back().view(), false);
    return results;
  });
}

}  // namespace headwater
