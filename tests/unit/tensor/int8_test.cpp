// Products with weights in bytes beside the same sums written plainly, and beside exact products.
#include "tensor/kernels/gemm/int8.hpp"

#include <cmath>

#include "tensor/kernels/argmax/argmax.hpp"
#include "unit/tensor/packed_testing.hpp"

namespace headwater {
namespace {

using namespace testing;  // NOLINT: the tests' own helpers
using kernels::Activation;

float largest_of(Index n, const float* x, Index step) {
  float most = 0;
  for (Index i = 0; i < n; ++i) most = std::max(most, std::abs(x[i * step]));
  return most;
}

// Whole numbers of at most 127, whose products are summed exactly; the scale of the column, then of the row.
Grid<float> naive_int8(const Grid<float>& x, const Grid<float>& w, const float* bias, bool is_relu) {
  Grid<float> y(x.rows, w.cols, 2);
  for (Index r = 0; r < x.rows; ++r) {
    const float* const row = x.view().row(r);
    const float of_row = largest_of(x.cols, row, 1);
    for (Index c = 0; c < w.cols; ++c) {
      const float* const column = w.view().data + c;
      const float scale = largest_of(w.rows, column, w.stride) / 127;
      std::int64_t sum = 0;
      for (Index k = 0; k < x.cols && of_row > 0 && scale > 0; ++k) {
        const float a = std::nearbyint(std::fma(row[k], 127 / of_row, 0.0f));
        const double b =
            std::nearbyint(static_cast<double>(column[k * w.stride]) / static_cast<double>(scale));
        sum += static_cast<std::int64_t>(a) * static_cast<std::int64_t>(b);
      }
      const float value =
          std::fma(static_cast<float>(sum) * scale, of_row / 127, bias != nullptr ? bias[c] : 0);
      y.view().row(r)[c] = is_relu && value < 0 ? 0 : value;
    }
  }
  return y;
}

std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (const Index rows : {0, 1, 2, 3, 5, 6, 7, 12, 13, 16, 31}) {
    all.push_back({rows, 24, 70});
    all.push_back({rows, 129, 15 + rows});
  }
  all.insert(all.end(), {{1, 1, 1}, {1, 3, 200}, {2, 7, 64}, {3, 1000, 400}, {40, 128, 1001}, {300, 96, 64}});
  return all;
}

}  // namespace

TEST_CASE("products in int8 are sums of whole numbers, on every code path") {
  for (const Shape& s : shapes()) {
    Grid<float> x = random_grid(s.rows, s.inputs, 1, 3), w = random_grid(s.inputs, s.columns, 2, 5);
    const Grid<float> bias = random_grid(1, s.columns, 3);
    for (Index r = 0; r < s.rows; ++r) {
      for (Index k = 0; k < s.inputs; ++k)
        x.view().row(r)[k] *= std::ldexp(1.0f, static_cast<int>(r % 60) - 30);
    }
    for (Index c = 0; c < s.columns; ++c) {  // large ones, small ones and one of zeros
      for (Index k = 0; k < s.inputs; ++k)
        w.view().row(k)[c] *= c % 17 == 5 ? 0 : std::ldexp(1.0f, static_cast<int>(c % 80) - 40);
    }
    if (s.rows > 2) std::fill_n(x.view().row(2), s.inputs, 0.0f);
    Packed packed(w);
    const kernels::PackedWeight quantized = packed.quantized();
    for (const Real* b : {static_cast<const Real*>(nullptr), bias.view().row(0)}) {
      for (const Activation activation : {Activation::none, Activation::relu}) {
        const Grid<float> expected = naive_int8(x, w, b, activation == Activation::relu);
        for (const kernels::Isa isa : available_isas()) {
          const IsaScope scope(isa);
          Grid<float> y(s.rows, s.columns, 2, std::nanf(""));
          kernels::linear_packed(x.view(), quantized, b, activation, y.view());
          INFO(s.rows, " x ", s.inputs, " x ", s.columns, " on ", std::string(name_of(isa)));
          bool is_same = y.has_intact_gaps();
          for (Index r = 0; r < s.rows; ++r) {
            for (Index c = 0; c < s.columns; ++c)  // zeros of either sign
              is_same = is_same && y.view().row(r)[c] == expected.view().row(r)[c];
          }
          CHECK(is_same);
        }
      }
    }
  }
}

TEST_CASE("the longest sums in int8 are whole, and longer ones are refused") {
  const Index most = 32'768;
  for (const float sign : {1.0f, -1.0f}) {
    const Grid<float> x(3, most, 0, 0.5f), w(most, 17, 0, 2 * sign);
    Packed packed(w);
    const kernels::PackedWeight quantized = packed.quantized();
    const Grid<float> expected = naive_int8(x, w, nullptr, false);
    for (const kernels::Isa isa : available_isas()) {
      const IsaScope scope(isa);
      Grid<float> y(3, 17, 2);
      kernels::linear_packed(x.view(), quantized, nullptr, Activation::none, y.view());
      CHECK(same_bits(y, expected));
      CHECK(std::abs(y.view().row(2)[16] - sign * static_cast<float>(most)) < 0.01f);
    }
  }
  CHECK(Packed(Grid<float>(most + 1, 1, 0, 1.0f)).quantized().int8.bytes == nullptr);
}

TEST_CASE("products in int8 lie where half a step of each number puts them") {
  const Grid<float> x = random_grid(20, 200, 4), w = random_grid(200, 300, 5), bias = random_grid(1, 300, 6);
  Packed packed(w);
  const kernels::PackedWeight quantized = packed.quantized();
  for (const Activation activation : {Activation::none, Activation::gelu}) {
    Grid<float> exact(20, 300), y(20, 300);
    kernels::linear(x.view(), w.view(), bias.view().row(0), activation, exact.view());
    kernels::linear_packed(x.view(), quantized, bias.view().row(0), activation, y.view());
    double worst = 0, squares = 0, of_exact = 0;
    for (Index r = 0; r < 20; ++r) {
      for (Index c = 0; c < 300; ++c) {
        const double error =
            static_cast<double>(y.view().row(r)[c]) - static_cast<double>(exact.view().row(r)[c]);
        worst = std::max(worst, std::abs(error));
        squares += error * error;
        of_exact += std::pow(static_cast<double>(exact.view().row(r)[c]), 2);
      }
    }
    // Steps are at most 1 / 127: an input is off by half of one at most, and so is a weight; in the mean by
    // a square root of 1/12 of one.
    CHECK(worst <= 200 * 2 * 0.5 / 127);
    CHECK(std::sqrt(squares / of_exact) < 0.01);
    CHECK(squares > 0);
  }
}

TEST_CASE("products in int8: the same bits on any number of threads, and of a row alone") {
  const Grid<float> x = random_grid(300, 96, 1), w = random_grid(96, 700, 2);
  Packed packed(w);
  const kernels::PackedWeight quantized = packed.quantized();
  check_same_bits_everywhere([&] {
    Grid<float> y(300, 700), one(1, 700);
    kernels::linear_packed(x.view(), quantized, nullptr, Activation::none, y.view());
    kernels::linear_packed(x.view().rows_between(7, 8), quantized, nullptr, Activation::none, one.view());
    CHECK(std::equal(one.values.begin(), one.values.end(), y.view().row(7)));
    return std::vector<Grid<float>>{y};
  });
}

TEST_CASE("the best words in int8 are those of its logits") {
  for (const Index rows : {1, 4, 33}) {
    const Grid<float> x = random_grid(rows, 64, 7), w = random_grid(64, 1003, 8);
    const std::vector<float> bias(1003, 0.25f);
    Packed packed(w);
    const kernels::PackedWeight quantized = packed.quantized();
    Grid<float> logits(rows, 900);
    kernels::PackedWeight weight = quantized;
    weight.outputs = 900;
    kernels::linear_packed(x.view(), weight, bias.data(), Activation::none, logits.view());
    const std::vector<std::int32_t> skip{0, 17};
    std::vector<std::int32_t> expected(rows), best(expected);
    kernels::argmax(logits.view(), skip, expected);
    kernels::linear_argmax(x.view(), {weight}, bias.data(), skip, best);
    CHECK(best == expected);
    std::vector<kernels::TopLogit> top(rows);
    std::vector<float> log_sums(rows), sums(log_sums);
    kernels::linear_top(x.view(), weight, bias.data(), {.all = skip}, 1, top, log_sums);
    kernels::log_sum_exp(logits.view(), sums.data());
    for (std::size_t r = 0; r < top.size(); ++r) {
      CHECK(top[r].column == expected[r]);
      CHECK(top[r].value == logits.view().row(static_cast<Index>(r))[expected[r]]);
      CHECK(std::abs(log_sums[r] - sums[r]) <= 1e-5f * std::abs(sums[r]));
    }
  }
}

TEST_CASE("what has no bytes: rows that are not finite give no numbers, weights give none") {
  Grid<float> x = random_grid(9, 40, 1), w = random_grid(40, 30, 2);
  Packed packed(w);
  const kernels::PackedWeight quantized = packed.quantized();
  x.view().row(1)[39] = std::nanf("");
  x.view().row(2)[0] = -std::numeric_limits<float>::infinity();
  x.view().row(3)[5] = std::numeric_limits<float>::max();
  for (Index k = 0; k < 40; ++k) x.view().row(4)[k] = 0x1p-120f;
  for (const kernels::Isa isa : available_isas()) {
    const IsaScope scope(isa);
    Grid<float> y(9, 30);
    kernels::linear_packed(x.view(), quantized, nullptr, Activation::none, y.view());
    for (Index c = 0; c < 30; ++c) {
      CHECK(std::isnan(y.view().row(1)[c]));
      CHECK(std::isnan(y.view().row(2)[c]));
      CHECK(std::isfinite(y.view().row(3)[c]));
      CHECK(y.view().row(4)[c] == 0);
      CHECK(std::isfinite(y.view().row(0)[c]));
    }
  }
  for (const float odd : {std::nanf(""), std::numeric_limits<float>::infinity(), 0x1p110f}) {
    Grid<float> wrong = w;
    wrong.view().row(7)[29] = odd;
    CHECK(Packed(wrong).quantized().int8.bytes == nullptr);
  }
  for (Index k = 0; k < 40; ++k) w.view().row(k)[3] = 0x1p-110f;
  CHECK(Packed(w).quantized().int8.bytes == nullptr);
}

}  // namespace headwater
