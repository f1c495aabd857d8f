// Products with weights against the naive ones in double: all sizes around the tiles, all three forms, gaps
// between rows; and the promise of equal bits.
#include <algorithm>
#include <cmath>

#include "kernel_testing.hpp"
#include "tensor/kernels/naive.hpp"

namespace headwater {
namespace {

using kernels::Activation;
using testing::Grid;
using testing::kEpsilon;
using testing::random_grid;

constexpr Activation kActivations[] = {Activation::none,      Activation::relu, Activation::gelu,
                                       Activation::gelu_tanh, Activation::silu, Activation::tanh,
                                       Activation::sigmoid};

struct Shape {
  Index T, I, O;
};

// Every size around a tile's edges with the others fixed, and a few large ones.
std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (Index n : {0, 1, 7, 8, 9, 13, 14, 15, 16, 17, 28, 29, 31, 32, 33, 48, 49, 65, 130}) {
    all.push_back({n, 20, 37});
    all.push_back({23, n, 37});
    all.push_back({23, 20, n});
    all.push_back({n, n, n});
  }
  all.push_back({300, 65, 33});
  all.push_back({5, 1000, 40});
  all.push_back({40, 800, 130});
  all.push_back({33, 70, 1500});
  all.push_back({700, 40, 300});
  // Few rows: several tasks, and rows of the weight that are copied (a multiple of 1024 apart) or are not.
  for (Index T : {1, 2, 3, 4}) {
    all.push_back({T, 300, 1500});
    all.push_back({T, 1500, 300});
    all.push_back({T, 1021, 90});
  }
  return all;
}

Grid<double> magnitudes(const Grid<float>& grid) {
  Grid<double> wide = testing::widened(grid);
  for (double& value : wide.values) value = std::abs(value);
  return wide;
}

// Largest |actual - exact| over the rounding unit times the sum of the magnitudes that went into the element.
double worst_ratio(const Grid<float>& actual, const Grid<double>& exact, const Grid<double>& magnitude) {
  double worst = 0;
  for (Index r = 0; r < actual.rows; ++r) {
    for (Index c = 0; c < actual.cols; ++c) {
      const double error = std::abs(static_cast<double>(actual.view().row(r)[c]) - exact.view().row(r)[c]);
      const double ratio = error / (kEpsilon * magnitude.view().row(r)[c] + 1e-30);
      if (!(ratio <= worst)) worst = ratio;
      if (std::isnan(worst)) return worst;
    }
  }
  return worst;
}

// A chain of n steps errs by at most n roundings of its magnitude; random signs leave far less.
double allowed(Index steps) { return 4 + 2 * std::sqrt(static_cast<double>(steps)); }

TEST_CASE("linear: the product with bias, and rows that nothing may touch") {
  for (const Shape& s : shapes()) {
    CAPTURE(s.T);
    CAPTURE(s.I);
    CAPTURE(s.O);
    const Grid<float> x = random_grid(s.T, s.I, 1, 3), w = random_grid(s.I, s.O, 2, 5),
                      bias = random_grid(1, s.O, 3);
    Grid<float> y(s.T, s.O, 2);
    kernels::linear(x.view(), w.view(), bias.values.data(), Activation::none, y.view());
    Grid<double> exact(s.T, s.O), magnitude(s.T, s.O);
    const Grid<double> b = testing::widened(bias), b_size = magnitudes(bias);
    naive::linear(testing::widened(x).view(), testing::widened(w).view(), false, b.values.data(),
                  Activation::none, exact.view(), {});
    naive::linear(magnitudes(x).view(), magnitudes(w).view(), false, b_size.values.data(), Activation::none,
                  magnitude.view(), {});
    CHECK(worst_ratio(y, exact, magnitude) <= allowed(s.I));
    CHECK(y.has_intact_gaps());
  }
}

TEST_CASE("linear: activations in the write-back and their slopes are those of activate()") {
  for (Activation activation : kActivations) {
    for (Index O : {5, 16, 70}) {
      const Grid<float> x = random_grid(30, 500, 1), w = random_grid(500, O, 2, 1, 0.3f),
                        bias = random_grid(1, O, 3);
      Grid<float> sum(30, O, 1), expected(30, O, 1), y(30, O, 1), slope(30, O, 1), expected_slope(30, O, 1);
      const bool keeps_slope = kernels::keeps_slope(activation);
      kernels::linear(x.view(), w.view(), bias.values.data(), Activation::none, sum.view());
      kernels::activate(activation, sum.view(), expected.view(),
                        keeps_slope ? expected_slope.view() : Matrix());
      kernels::linear(x.view(), w.view(), bias.values.data(), activation, y.view(),
                      keeps_slope ? slope.view() : Matrix());
      CHECK(testing::same_bits(y, expected));
      CHECK(testing::same_bits(slope, expected_slope));
      kernels::linear(x.view(), w.view(), bias.values.data(), activation, y.view());
      CHECK(testing::same_bits(y, expected));
    }
  }
}

TEST_CASE("linear_transposed and linear_backward_input: the product with the transposed weight") {
  for (const Shape& s : shapes()) {
    CAPTURE(s.T);
    CAPTURE(s.I);
    CAPTURE(s.O);
    const Grid<float> x = random_grid(s.T, s.I, 1, 3), w = random_grid(s.O, s.I, 2, 5),
                      bias = random_grid(1, s.O, 3);
    Grid<float> y(s.T, s.O, 2), dx = random_grid(s.T, s.O, 4, 1);
    const Grid<float> before = dx;
    kernels::linear_transposed(x.view(), w.view(), bias.values.data(), y.view());
    Grid<double> exact(s.T, s.O), magnitude(s.T, s.O);
    const Grid<double> b = testing::widened(bias), b_size = magnitudes(bias);
    naive::linear(testing::widened(x).view(), testing::widened(w).view(), true, b.values.data(),
                  Activation::none, exact.view(), {});
    naive::linear(magnitudes(x).view(), magnitudes(w).view(), true, b_size.values.data(), Activation::none,
                  magnitude.view(), {});
    CHECK(worst_ratio(y, exact, magnitude) <= allowed(s.I));
    CHECK(y.has_intact_gaps());

    // The same product as a gradient: overwritten, and added to what is there.
    Grid<float> plain(s.T, s.O, 1);
    kernels::linear_backward_input(x.view(), w.view(), plain.view(), false);
    kernels::linear_backward_input(x.view(), w.view(), dx.view(), true);
    CHECK(dx.has_intact_gaps());
    Index different = 0;
    for (Index r = 0; r < s.T; ++r) {
      for (Index c = 0; c < s.O; ++c)
        different += dx.view().row(r)[c] != before.view().row(r)[c] + plain.view().row(r)[c];
    }
    CHECK(different == 0);
    Grid<float> unbiased(s.T, s.O, 1);
    kernels::linear_transposed(x.view(), w.view(), nullptr, unbiased.view());
    CHECK(testing::same_bits(plain, unbiased));
  }
}

TEST_CASE("linear_backward_input: an activation undone with it, with the bits of the two one by one") {
  for (const Shape& s : shapes()) {
    for (const Activation activation : kActivations) {
      CAPTURE(s.T);
      CAPTURE(s.I);
      CAPTURE(s.O);
      const Grid<float> dy = random_grid(s.T, s.O, 1, 3), w = random_grid(s.I, s.O, 2, 5),
                        kept = random_grid(s.T, s.I, 3, 2);
      Grid<float> together = random_grid(s.T, s.I, 4, 1), apart = together;
      for (const bool accumulate : {false, true}) {
        kernels::linear_backward_input(dy.view(), w.view(), together.view(), accumulate,
                                       {activation, kept.view()});
        kernels::linear_backward_input(dy.view(), w.view(), apart.view(), accumulate);
        kernels::activation_backward(activation, kept.view(), apart.view(), apart.view());
        CHECK(testing::same_bits(together, apart));
        CHECK(together.has_intact_gaps());
      }
    }
  }
}

std::vector<Index> offsets_for(Index T) {
  std::vector<Index> offsets{0};
  for (Index i = 0; offsets.back() < T; ++i)
    offsets.push_back(std::min(T, offsets.back() + 1 + (i * 7) % 40));
  return offsets;
}

// The definition: ascending chains of fma in each leaf, partial sums merged as the plan says.
void reduced_product(MatrixOf<const float> x, MatrixOf<const float> dy, const ReductionTree& plan,
                     MatrixOf<float> dw, float* db) {
  for (Index i = 0; i <= x.cols; ++i) {
    for (Index o = 0; o < dy.cols; ++o) {
      std::vector<float> sums;
      for (const ReductionLeaf& leaf : plan.leaves) {
        float sum = 0;
        for (Index t = leaf.begin; t < leaf.end; ++t) {
          sum = i < x.cols ? std::fma(x.row(t)[i], dy.row(t)[o], sum) : sum + dy.row(t)[o];
        }
        for (int merge = 0; merge < leaf.merges; ++merge) {
          sum = sums.back() + sum;
          sums.pop_back();
        }
        sums.push_back(sum);
      }
      (i < x.cols ? dw.row(i) : db)[o] = sums.empty() ? 0 : sums.front();
    }
  }
}

TEST_CASE("linear_backward_weight: exactly the reduction of the plan") {
  std::vector<Shape> all = shapes();
  all.push_back({1300, 15, 33});
  all.push_back({6000, 3, 18});
  // Leaves that are packed in several turns, with merges after them.
  all.push_back({2300, 15, 256});
  all.push_back({3300, 20, 400});
  // Cut by tokens into four parts.
  all.push_back({900, 40, 48});
  const auto check = [](const Shape& s, const std::vector<Index>& offsets) {
    CAPTURE(s.T);
    CAPTURE(s.I);
    CAPTURE(s.O);
    ReductionTree plan;
    plan.assign(offsets);
    const Grid<float> x = random_grid(s.T, s.I, 1, 3), dy = random_grid(s.T, s.O, 2, 5);
    Grid<float> dw(s.I, s.O, 2), db(1, s.O), exact(s.I, s.O, 2), exact_db(1, s.O);
    kernels::linear_backward_weight(x.view(), dy.view(), plan, dw.view(), db.values.data(), false);
    reduced_product(x.view(), dy.view(), plan, exact.view(), exact_db.values.data());
    CHECK(testing::same_bits(dw, exact));
    CHECK(testing::same_bits(db, exact_db));

    Grid<float> twice = dw, twice_db = db;
    kernels::linear_backward_weight(x.view(), dy.view(), plan, twice.view(), twice_db.values.data(), true);
    for (Index i = 0; i < s.I; ++i) {
      for (Index o = 0; o < s.O; ++o) exact.view().row(i)[o] *= 2;
    }
    for (float& value : exact_db.values) value *= 2;
    CHECK(testing::same_bits(twice, exact));
    CHECK(testing::same_bits(twice_db, exact_db));
    Grid<float> without(s.I, s.O, 2);
    kernels::linear_backward_weight(x.view(), dy.view(), plan, without.view(), nullptr, false);
    CHECK(testing::same_bits(without, dw));
  };
  for (const Shape& s : all) {
    check(s, offsets_for(s.T));
    if (s.T > 0 && s.T <= 20) check(s, {0, s.T});  // one sequence, so one leaf
  }
}

TEST_CASE("linear_transposed: an element is the same chain, of any number of rows") {
  for (Index T : {1, 2, 3, 4, 5, 20}) {
    for (const Index I : {1, 15, 16, 200, 901}) {
      const Index O = 83;
      const Grid<float> x = random_grid(T, I, 1, 2), w = random_grid(O, I, 2, 3), bias = random_grid(1, O, 3);
      Grid<float> y(T, O, 1), exact(T, O, 1);
      for (Index t = 0; t < T; ++t) {
        for (Index o = 0; o < O; ++o) {
          float sum = 0;
          for (Index i = 0; i < I; ++i) sum = std::fma(x.view().row(t)[i], w.view().row(o)[i], sum);
          exact.view().row(t)[o] = sum + bias.values[o];
        }
      }
      for (const kernels::Isa isa : testing::available_isas()) {
        const testing::IsaScope scope(isa);
        kernels::linear_transposed(x.view(), w.view(), bias.values.data(), y.view());
        INFO(T, " rows, ", I, " inputs, ", std::string(name_of(isa)));
        CHECK(testing::same_bits(y, exact));
      }
    }
  }
}

TEST_CASE("linear: an element is one ascending chain of fma, then bias") {
  for (Index T : {1, 3, 14, 15, 16, 200}) {
    const Index I = 900, O = 77;
    const Grid<float> x = random_grid(T, I, 1), w = random_grid(I, O, 2), bias = random_grid(1, O, 3);
    Grid<float> y(T, O), exact(T, O);
    kernels::linear(x.view(), w.view(), bias.values.data(), Activation::none, y.view());
    for (Index t = 0; t < T; ++t) {
      for (Index o = 0; o < O; ++o) {
        float sum = 0;
        for (Index i = 0; i < I; ++i) sum = std::fma(x.view().row(t)[i], w.view().row(i)[o], sum);
        exact.view().row(t)[o] = sum + bias.values[o];
      }
    }
    CHECK(testing::same_bits(y, exact));
  }
}

TEST_CASE("linear: a row alone has the bits it has in a batch, in both forms") {
  for (const Shape& s : {Shape{67, 300, 45}, Shape{33, 64, 1000}, Shape{20, 1000, 16}}) {
    const Grid<float> x = random_grid(s.T, s.I, 1), w = random_grid(s.I, s.O, 2),
                      v = random_grid(s.O, s.I, 4);
    const Grid<float> bias = random_grid(1, s.O, 3);
    Grid<float> y(s.T, s.O), z(s.T, s.O);
    kernels::linear(x.view(), w.view(), bias.values.data(), Activation::gelu, y.view());
    kernels::linear_transposed(x.view(), v.view(), bias.values.data(), z.view());
    for (Index count : {1, 2, 7, 15}) {
      for (Index t = 0; t + count <= s.T; t += 6) {
        Grid<float> part(count, s.O), part_transposed(count, s.O);
        kernels::linear(x.view().rows_between(t, t + count), w.view(), bias.values.data(), Activation::gelu,
                        part.view());
        kernels::linear_transposed(x.view().rows_between(t, t + count), v.view(), bias.values.data(),
                                   part_transposed.view());
        const auto size = static_cast<std::size_t>(count * s.O) * sizeof(float);
        CHECK(std::memcmp(part.values.data(), y.view().row(t), size) == 0);
        CHECK(std::memcmp(part_transposed.values.data(), z.view().row(t), size) == 0);
      }
    }
  }
}

TEST_CASE("products: the same bits on every code path, for any number of threads") {
  for (const Shape& s : {Shape{1, 129, 70}, Shape{2, 400, 1024}, Shape{29, 500, 47}, Shape{600, 96, 200},
                         Shape{9, 60, 3000}, Shape{40, 1500, 40}}) {
    ReductionTree plan;
    const std::vector<Index> offsets = offsets_for(s.T);
    plan.assign(offsets);
    testing::check_same_bits_everywhere([&] {
      const Grid<float> x = random_grid(s.T, s.I, 1, 3), w = random_grid(s.I, s.O, 2, 5),
                        dy = random_grid(s.T, s.O, 4);
      const Grid<float> v = random_grid(s.O, s.I, 6), bias = random_grid(1, s.O, 3);
      Grid<float> y(s.T, s.O), slope(s.T, s.O), z(s.T, s.O), dx(s.T, s.I), dw(s.I, s.O), db(1, s.O);
      kernels::linear(x.view(), w.view(), bias.values.data(), Activation::gelu, y.view(), slope.view());
      kernels::linear_transposed(x.view(), v.view(), nullptr, z.view());
      kernels::linear_backward_input(dy.view(), w.view(), dx.view(), false);
      kernels::linear_backward_weight(x.view(), dy.view(), plan, dw.view(), db.values.data(), false);
      return std::vector{y, slope, z, dx, dw, db};
    });
  }
}

TEST_CASE("linear: not-a-number and infinity in one row stay in that row, and overflow is not hidden") {
  Grid<float> x = random_grid(20, 40, 1);
  const Grid<float> w = random_grid(40, 50, 2);
  Grid<float> y(20, 50), broken(20, 50);
  kernels::linear(x.view(), w.view(), nullptr, Activation::relu, y.view());
  x.view().row(7)[5] = std::numeric_limits<float>::quiet_NaN();
  kernels::linear(x.view(), w.view(), nullptr, Activation::relu, broken.view());
  for (Index r = 0; r < 20; ++r) {
    for (Index c = 0; c < 50; ++c) {
      CHECK((r == 7 ? std::isnan(broken.view().row(r)[c]) : broken.view().row(r)[c] == y.view().row(r)[c]));
    }
  }
}

TEST_CASE("activations and their slopes against std:: functions in double") {
  const Index n = 4001;
  Grid<float> x(3, n, 1), dy = random_grid(3, n, 5, 2);
  for (Index r = 0; r < 3; ++r) {
    // Up to 0.01, 10 and 100: near zero, usual, saturated.
    const float scale = std::pow(10.0f, static_cast<float>(2 * r - 2 - (r == 2)));
    for (Index c = 0; c < n; ++c) x.view().row(r)[c] = scale * (static_cast<float>(c) / 2000 - 1);
  }
  for (Activation activation : kActivations) {
    CAPTURE(static_cast<int>(activation));
    const bool keeps_slope = kernels::keeps_slope(activation);
    Grid<float> y(3, n), slope(3, n, 5), dpre(3, n, 3);
    const auto run = [&](const Grid<float>& values, Grid<float>& to, Grid<float>& slopes) {
      kernels::activate(activation, values.view(), to.view(), keeps_slope ? slopes.view() : Matrix());
    };
    run(x, y, slope);
    const ConstMatrix kept = keeps_slope ? slope.view() : y.view();
    kernels::activation_backward(activation, kept, dy.view(), dpre.view());
    const Grid<double> wide = testing::widened(x), dy_wide = testing::widened(dy);
    Grid<double> exact(3, n), exact_slope(3, n), exact_dpre(3, n);
    naive::activate(activation, wide.view(), exact.view(),
                    keeps_slope ? exact_slope.view() : MatrixOf<double>());
    naive::activation_backward(activation, keeps_slope ? exact_slope.view() : exact.view(), dy_wide.view(),
                               exact_dpre.view());
    CHECK(testing::worst_error(y, exact) <= 8);
    CHECK(testing::worst_error(dpre, exact_dpre) <= 16);
    CHECK(dpre.has_intact_gaps());
    CHECK(slope.has_intact_gaps());
    // In place, and without the slope.
    Grid<float> same = dy, y_same = x, slope_same(3, n), y_alone(3, n);
    kernels::activation_backward(activation, kept, same.view(), same.view());
    run(y_same, y_same, slope_same);
    kernels::activate(activation, x.view(), y_alone.view());
    for (Index r = 0; r < 3; ++r) {
      CHECK(std::equal(same.view().row(r), same.view().row(r) + n, dpre.view().row(r)));
      CHECK(std::equal(y_same.view().row(r), y_same.view().row(r) + n, y.view().row(r)));
      CHECK(std::equal(y_alone.view().row(r), y_alone.view().row(r) + n, y.view().row(r)));
      if (keeps_slope)
        CHECK(std::equal(slope_same.view().row(r), slope_same.view().row(r) + n, slope.view().row(r)));
    }
    testing::check_same_bits_everywhere([&] {
      Grid<float> a(3, n), s(3, n), b(3, n);
      run(x, a, s);
      kernels::activation_backward(activation, keeps_slope ? s.view() : a.view(), dy.view(), b.view());
      return std::vector{a, s, b};
    });
  }
}

}  // namespace
}  // namespace headwater
