// What the tests of the float kernels share: matrices with guarded gaps between the rows, comparison with the
// naive kernels in double, and the promise of equal bits on every code path and for any number of threads.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "support/parallel.hpp"
#include "support/random.hpp"
#include "tensor/kernels.hpp"

namespace headwater::testing {

inline constexpr float kGuard = 1.2345e33f;
inline constexpr double kEpsilon = 0x1p-24;  // half a unit in the last place of a float 1
inline constexpr Index kSizes[] = {0, 1, 7, 8, 9, 15, 16, 17, 33, 65, 130};

// A matrix that owns its numbers. `gap` values after each row hold a guard that no kernel may read into a
// result or write.
template <class T>
struct Grid {
  Index rows, cols, stride;
  std::vector<T> values;

  Grid(Index r, Index c, Index gap = 0, T value = T(0))
      : rows(r), cols(c), stride(c + gap), values(static_cast<std::size_t>(r * (c + gap)), T(kGuard)) {
    for (Index i = 0; i < r; ++i) std::fill_n(view().row(i), c, value);
  }
  MatrixOf<T> view() { return {values.data(), rows, cols, stride}; }
  MatrixOf<const T> view() const { return {values.data(), rows, cols, stride}; }
  bool has_intact_gaps() const {
    for (Index r = 0; r < rows; ++r) {
      for (Index c = cols; c < stride; ++c) {
        if (values[r * stride + c] != T(kGuard)) return false;
      }
    }
    return true;
  }
};

// Uniform in [-amplitude, amplitude).
inline Grid<float> random_grid(Index rows, Index cols, std::uint64_t seed, Index gap = 0,
                               float amplitude = 1) {
  Grid<float> grid(rows, cols, gap);
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < cols; ++c) {
      const float uniform = random_uniform({.seed = seed}, static_cast<std::uint64_t>(r * cols + c));
      grid.view().row(r)[c] = amplitude * (2 * uniform - 1);
    }
  }
  return grid;
}

inline Grid<double> widened(const Grid<float>& grid) {
  Grid<double> wide(grid.rows, grid.cols);
  for (Index r = 0; r < grid.rows; ++r) std::copy_n(grid.view().row(r), grid.cols, wide.view().row(r));
  return wide;
}

// Largest |actual - expected| / (1 + |expected|) in units of a float's rounding; NaN where either has one.
inline double worst_error(const Grid<float>& actual, const Grid<double>& expected) {
  double worst = 0;
  for (Index r = 0; r < actual.rows; ++r) {
    for (Index c = 0; c < actual.cols; ++c) {
      const double e = expected.view().row(r)[c];
      const double error =
          std::abs(static_cast<double>(actual.view().row(r)[c]) - e) / (1 + std::abs(e)) / kEpsilon;
      if (!(error <= worst)) worst = error;
      if (std::isnan(worst)) return worst;
    }
  }
  return worst;
}

inline bool same_bits(const Grid<float>& a, const Grid<float>& b) {
  return a.values.size() == b.values.size() &&
         (a.values.empty() ||
          std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(float)) == 0);
}

// Sets an ISA and takes it back.
class IsaScope {
 public:
  explicit IsaScope(kernels::Isa isa) : before_(kernels::active_isa()) { kernels::set_isa(isa); }
  ~IsaScope() { kernels::set_isa(before_); }
  IsaScope(const IsaScope&) = delete;
  IsaScope& operator=(const IsaScope&) = delete;

 private:
  kernels::Isa before_;
};

inline std::vector<kernels::Isa> available_isas() {
  std::vector<kernels::Isa> isas;
  for (kernels::Isa isa : {kernels::Isa::avx512, kernels::Isa::avx2, kernels::Isa::portable}) {
    if (kernels::isa_available(isa)) isas.push_back(isa);
  }
  return isas;
}

// compute() returns a vector of grids: the same bits on every code path with 1, 2, 3 and 8 threads.
template <class F>
void check_same_bits_everywhere(const F& compute) {
  using Grids = std::vector<Grid<float>>;
  Grids first;
  for (kernels::Isa isa : available_isas()) {
    const IsaScope scope(isa);
    for (int threads : {1, 2, 3, 8}) {
      Grids grids;
      ThreadPool(threads).run([&] { grids = compute(); });
      if (first.empty()) first = grids;
      REQUIRE(first.size() == grids.size());
      for (std::size_t i = 0; i < grids.size(); ++i) {
        INFO("output ", i, " with ", std::string(name_of(isa)), ", threads ", threads);
        CHECK(same_bits(first[i], grids[i]));
      }
    }
  }
}

// First row of each of the sequences of these lengths, then the number of rows.
inline std::vector<Index> offsets_of(const std::vector<Index>& lengths) {
  std::vector<Index> offsets{0};
  for (Index length : lengths) offsets.push_back(offsets.back() + length);
  return offsets;
}

}  // namespace headwater::testing
