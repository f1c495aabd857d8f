// Products with packed weights beside linear(), and the output layer's choice beside the logits.
#include "unit/tensor/packed_testing.hpp"

namespace headwater {
namespace {

using namespace testing;  // NOLINT: the tests' own helpers
using kernels::Activation;

// What linear_argmax chooses with and without bounds, on every code path, is what argmax chooses.
void check_choices(const Grid<float>& x, const Grid<float>& w, const std::vector<float>& bias, Index choices,
                   const std::vector<std::int32_t>& skip) {
  Packed packed(w);
  Grid<float> logits(x.rows, choices);
  kernels::linear(x.view(), {w.view().data, w.rows, choices, w.stride}, bias.data(), Activation::none,
                  logits.view());
  std::vector<std::int32_t> expected(x.rows);
  kernels::argmax(logits.view(), skip, expected);
  for (kernels::ArgmaxWeight weight : {kernels::ArgmaxWeight{packed.weight}, packed.bounded()}) {
    weight.packed.outputs = choices;
    for (const kernels::Isa isa : available_isas()) {
      const IsaScope scope(isa);
      for (const int threads : {1, 3}) {
        std::vector<std::int32_t> best(expected.size(), -7);
        ThreadPool(threads).run([&] { kernels::linear_argmax(x.view(), weight, bias.data(), skip, best); });
        INFO(x.rows, " rows, ", choices, " columns, ", skip.size(), " skipped, ",
             weight.bounds.bytes ? "bounded" : "all");
        CHECK(best == expected);
      }
    }
  }
}

}  // namespace

TEST_CASE("products with packed weights have the bits of linear") {
  std::vector<Shape> shapes;
  for (const Index rows : {0, 1, 2, 3, 4, 5, 6, 7, 11, 13, 14, 15, 29, 32, 64}) {
    shapes.push_back({rows, 24, 70});
    shapes.push_back({rows, 129, 16 + rows});
  }
  shapes.insert(shapes.end(),
                {{1, 0, 20}, {1, 1, 1}, {2, 7, 64}, {3, 500, 1700}, {40, 128, 3001}, {300, 96, 200}});
  for (const Shape& s : shapes) {
    const Grid<float> x = random_grid(s.rows, s.inputs, 1, 3), w = random_grid(s.inputs, s.columns, 2, 5);
    const Grid<float> bias = random_grid(1, s.columns, 3);
    const Packed packed(w);
    for (const Activation activation : {Activation::none, Activation::relu, Activation::gelu}) {
      for (const Real* b : {static_cast<const Real*>(nullptr), bias.view().row(0)}) {
        Grid<float> expected(s.rows, s.columns, 2);
        kernels::linear(x.view(), w.view(), b, activation, expected.view());
        for (const kernels::Isa isa : available_isas()) {
          const IsaScope scope(isa);
          Grid<float> y(s.rows, s.columns, 2, std::nanf(""));
          kernels::linear_packed(x.view(), packed.weight, b, activation, y.view());
          INFO(s.rows, " x ", s.inputs, " x ", s.columns, " on ", std::string(name_of(isa)));
          CHECK(same_bits(y, expected));
        }
      }
    }
  }
}

TEST_CASE("a weight that is stored the other way round is packed to the same panels") {
  for (const Shape& s : {Shape{0, 1, 1}, {0, 24, 70}, {0, 7, 64}, {0, 129, 1003}}) {
    const Grid<float> w = random_grid(s.inputs, s.columns, 2, 5);
    Grid<float> transposed(s.columns, s.inputs, 3);
    for (Index c = 0; c < s.columns; ++c) {
      for (Index k = 0; k < s.inputs; ++k) transposed.view().row(c)[k] = w.view().row(k)[c];
    }
    const Packed packed(w);
    std::vector<float> panels(packed.panels.size(), std::nanf(""));
    const kernels::PackedWeight other = kernels::pack_weight_transposed(transposed.view(), panels.data());
    CHECK(other.inputs == s.inputs);
    CHECK(other.outputs == s.columns);
    CHECK(panels == packed.panels);
    const std::vector<std::int32_t> some{0, static_cast<std::int32_t>(s.columns - 1)};
    Grid<float> of_some(s.inputs, 2);
    for (Index k = 0; k < s.inputs; ++k) {
      of_some.view().row(k)[0] = w.view().row(k)[0];
      of_some.view().row(k)[1] = w.view().row(k)[s.columns - 1];
    }
    const Packed packed_some(of_some);
    std::vector<float> some_panels(packed_some.panels.size(), std::nanf(""));
    CHECK(kernels::pack_weight_transposed(transposed.view(), some_panels.data(), some).outputs == 2);
    CHECK(some_panels == packed_some.panels);
  }
}

TEST_CASE("products with packed weights: the same bits on any number of threads") {
  const Grid<float> x = random_grid(300, 96, 1), w = random_grid(96, 700, 2);
  const Packed packed(w);
  check_same_bits_everywhere([&] {
    Grid<float> y(300, 700), one(1, 700);
    kernels::linear_packed(x.view(), packed.weight, nullptr, Activation::none, y.view());
    kernels::linear_packed(x.view().rows_between(7, 8), packed.weight, nullptr, Activation::none, one.view());
    CHECK(std::equal(one.values.begin(), one.values.end(), y.view().row(7)));
    return std::vector<Grid<float>>{y};
  });
}

TEST_CASE("linear_argmax chooses what argmax chooses among the logits") {
  for (const Shape& s : {Shape{1, 8, 33},
                         {1, 128, 5000},
                         {3, 24, 700},
                         {5, 16, 31},
                         {32, 128, 3001},
                         {40, 400, 1000},
                         {0, 4, 9},
                         {2, 3, 1}}) {
    Grid<float> x = random_grid(s.rows, s.inputs, 1, 2), w = random_grid(s.inputs, s.columns, 2, 5);
    for (float& value : x.values) value = std::floor(value * 2);  // many equals
    for (float& value : w.values) value = std::floor(value * 2);
    const std::vector<float> bias(s.columns, 0.5f);
    for (const Index choices : {s.columns, s.columns * 2 / 3}) {
      if (choices == 0) continue;
      for (const std::vector<std::int32_t>& skip :
           {std::vector<std::int32_t>{}, {0}, {static_cast<std::int32_t>(choices / 2), 0, 29}}) {
        if (choices > 1 || skip.empty()) check_choices(x, w, bias, choices, skip);
      }
    }
  }
}

TEST_CASE("logit bounds never pass over the best word") {
  // Columns and rows of very different sizes, outliers, a bias that decides, near ties, and the best skipped.
  for (const Shape& s : {Shape{1, 128, 5000}, {7, 64, 3000}, {32, 130, 2500}, {130, 33, 700}}) {
    Grid<float> x = random_grid(s.rows, s.inputs, 5, 2), w = random_grid(s.inputs, s.columns, 6, 3);
    std::vector<float> bias(s.columns);
    for (Index c = 0; c < s.columns; ++c) {
      const float size = std::ldexp(1.0f, static_cast<int>(c % 7) - 3);
      for (Index k = 0; k < s.inputs; ++k) w.view().row(k)[c] *= size;
      if (c % 50 == 0) w.view().row(c % s.inputs)[c] *= 40;
      bias[c] = static_cast<float>(c % 11) / 4;
    }
    for (Index r = 0; r < s.rows; ++r) {
      for (Index k = 0; k < s.inputs; ++k)
        x.view().row(r)[k] *= std::ldexp(1.0f, static_cast<int>(r % 9) - 4);
      x.view().row(r)[r % s.inputs] *= r % 3 == 0 ? 30 : 1;
    }
    for (Index c = 8; c < s.columns; c += 97) {  // columns that differ in the last bits only
      for (Index k = 0; k < s.inputs; ++k)
        w.view().row(k)[c] = w.view().row(k)[c - 7] * (1 + (k == 3 ? 0x1p-22f : 0));
    }
    CHECK(Packed(w).bounded().bounds.bytes != nullptr);
    std::vector<std::int32_t> best(s.rows);
    Packed packed(w);
    kernels::linear_argmax(x.view(), {packed.weight}, bias.data(), {}, best);
    check_choices(x, w, bias, s.columns, {});
    check_choices(x, w, bias, s.columns - 9, {});
    check_choices(x, w, bias, s.columns,
                  best.size() < 40 ? best : std::vector<std::int32_t>{best[0], best[1]});
    // All alike: more candidates than are kept.
    Grid<float> same(s.inputs, s.columns, 0, 0.25f);
    check_choices(x, same, std::vector<float>(bias.size(), -1.0f), s.columns, {0, 5});
  }
}

TEST_CASE("logit bounds find the best word where the list of candidates fills") {
  const Index columns = 6000;
  const Grid<float> x = random_grid(3, 128, 9, 1);
  Grid<float> w = random_grid(128, columns, 10, 1);
  // Ever more likely words, ever less likely ones, and both with the best in the middle.
  std::vector<float> rising(columns), falling = rising;
  for (Index c = 0; c < columns; ++c) {
    rising[c] = static_cast<float>(c) / 8;
    falling[c] = static_cast<float>(columns - c) / 8;
  }
  for (std::vector<float> bias : {rising, falling}) {
    check_choices(x, w, bias, columns, {});
    bias[2000] += 1000;
    check_choices(x, w, bias, columns, {});
    check_choices(x, w, bias, columns, {2000});
  }
  // Long columns, orthogonal to the row, of which a bound says little, and a short one that is the best: it
  // is among the candidates that are dropped.
  const Grid<float> row = random_grid(1, 128, 9, 1);
  for (const Index best : {5, 1717, 5995}) {
    for (Index c = 0; c < columns; ++c) {
      for (Index k = 0; k < 128; k += 2) {
        w.view().row(k)[c] = c == best ? 0.02f * row.view().row(0)[k] : 10 * row.view().row(0)[k + 1];
        w.view().row(k + 1)[c] = c == best ? 0.02f * row.view().row(0)[k + 1] : -10 * row.view().row(0)[k];
      }
    }
    check_choices(row, w, std::vector<float>(columns, -1.0f), columns, {});
  }
}

TEST_CASE("logit bounds keep the first of logits that are exactly zero, where all others are below") {
  Grid<float> x(2, 16, 0, 1), w = random_grid(16, 900, 7, 1);
  for (float& value : w.values) value = -std::abs(value);
  for (const Index c : {411, 412, 700}) {
    for (Index k = 0; k < 16; ++k) w.view().row(k)[c] = 0;
  }
  for (Index k = 0; k < 16; ++k) w.view().row(k)[20] = 0;
  w.view().row(0)[20] = 3.3f;  // below 0, but its bound is not
  w.view().row(1)[20] = -3.3001f;
  check_choices(x, w, std::vector<float>(900, 0.0f), 900, {});
  check_choices(x, w, std::vector<float>(900, 0.0f), 900, {411});
}

TEST_CASE("logit bounds allow for the worst that rounding to bytes can do") {
  // The bytes of both columns say the opposite, as each number lies at the edge of its byte: in the weight,
  // whose largest number is 127, or in the row, whose largest is 63.
  const std::vector<float> bias(200, 0.0f);
  Grid<float> x(1, 128, 0, 1), w(128, 200);
  w.view().row(0)[150] = w.view().row(0)[9] = 127;
  for (Index k = 1; k < 128; ++k) {
    w.view().row(k)[150] = 10.499f;
    w.view().row(k)[9] = k == 1 ? 9.501f : 10.501f;
  }
  check_choices(x, w, bias, 200, {});
  w = Grid<float>(128, 200);
  x.view().row(0)[0] = 63;
  w.view().row(0)[150] = w.view().row(0)[9] = 127;
  for (Index k = 1; k < 64; ++k) {
    x.view().row(0)[k] = 10.499f;
    x.view().row(0)[63 + k] = k == 1 ? 9.501f : 10.501f;
    w.view().row(k)[150] = w.view().row(63 + k)[9] = 60;
  }
  check_choices(x, w, bias, 200, {});
}

TEST_CASE("logit bounds leave rows and weights that they cannot hold to the full search") {
  const float infinity = std::numeric_limits<float>::infinity();
  Grid<float> x = random_grid(6, 20, 7), w = random_grid(20, 300, 8);
  const std::vector<float> bias(300, 0.125f);
  for (Index k = 0; k < 20; ++k) {
    x.view().row(0)[k] = 0;
    x.view().row(1)[k] *= 0x1p-80f;
    x.view().row(2)[k] *= 0x1p100f;
  }
  x.view().row(3)[11] = infinity;
  x.view().row(4)[11] = std::nanf("");
  check_choices(x, w, bias, 300, {3});
  std::vector<float> uneven = bias;
  uneven[7] = -infinity;
  uneven[200] = std::nanf("");
  check_choices(x, w, uneven, 300, {3});
  uneven[100] = infinity;
  check_choices(x, w, uneven, 300, {3});
  for (const float value : {infinity, std::nanf(""), 0x1p90f, 0x1p-90f}) {
    Grid<float> other = w;
    for (Index k = 0; k < 20; ++k) other.view().row(k)[33] = value;
    CHECK(Packed(other).bounded().bounds.bytes == nullptr);
    check_choices(x, other, bias, 300, {});
  }
  for (Index k = 0; k < 20; ++k) w.view().row(k)[33] = 0;  // exact
  CHECK(Packed(w).bounded().bounds.bytes != nullptr);
  check_choices(x, w, bias, 300, {});
}

TEST_CASE("linear_argmax of logits that are not above -infinity takes the first column that it may") {
  const float infinity = std::numeric_limits<float>::infinity();
  Grid<float> x(2, 1, 0, 1), w(1, 40, 0, -infinity);
  std::vector<std::int32_t> best(2);
  kernels::linear_argmax(x.view(), {Packed(w).weight}, nullptr, std::vector<std::int32_t>{0, 1, 3}, best);
  CHECK(best == std::vector<std::int32_t>{2, 2});
  std::fill(w.values.begin(), w.values.end(), std::nanf(""));
  kernels::linear_argmax(x.view(), {Packed(w).weight}, nullptr, {}, best);
  CHECK(best == std::vector<std::int32_t>{0, 0});
  w.values[33] = infinity;
  kernels::linear_argmax(x.view(), {Packed(w).weight}, nullptr, {}, best);
  CHECK(best == std::vector<std::int32_t>{33, 33});
}

}  // namespace headwater
