// Products with packed weights beside linear(), and the output layer's choice beside the logits.
#include "unit/tensor/kernel_testing.hpp"

namespace headwater {
namespace {

using namespace testing;  // NOLINT: the tests' own helpers
using kernels::Activation;

struct Shape {
  Index rows, inputs, columns;
};

struct Packed {
  std::vector<float> panels;
  kernels::PackedWeight weight;
  explicit Packed(const Grid<float>& w)
      : panels(static_cast<std::size_t>(kernels::packed_size(w.rows, w.cols)), std::nanf("")),
        weight(kernels::pack_weight(w.view(), panels.data())) {}
};

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
          INFO(s.rows, " x ", s.inputs, " x ", s.columns, " on ", std::string(kernels::name_of(isa)));
          CHECK(same_bits(y, expected));
        }
      }
    }
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
    const Packed packed(w);
    for (const Index choices : {s.columns, s.columns * 2 / 3}) {
      if (choices == 0) continue;
      kernels::PackedWeight weight = packed.weight;
      weight.outputs = choices;
      const std::vector<float> bias(static_cast<std::size_t>(s.columns), 0.5f);
      Grid<float> logits(s.rows, choices);
      kernels::linear(x.view(), {w.view().data, s.inputs, choices, w.stride}, bias.data(), Activation::none,
                      logits.view());
      for (const std::vector<std::int32_t>& skip :
           {std::vector<std::int32_t>{}, {0}, {static_cast<std::int32_t>(choices / 2), 0, 29}}) {
        if (choices == 1 && !skip.empty()) continue;
        const std::size_t rows = static_cast<std::size_t>(s.rows);
        std::vector<std::int32_t> expected(rows);
        kernels::argmax(logits.view(), skip, expected);
        for (const kernels::Isa isa : available_isas()) {
          const IsaScope scope(isa);
          for (const int threads : {1, 3}) {
            std::vector<std::int32_t> best(rows, -7);
            ThreadPool(threads).run(
                [&] { kernels::linear_argmax(x.view(), weight, bias.data(), skip, best); });
            INFO(s.rows, " rows, ", choices, " columns, ", skip.size(), " skipped");
            CHECK(best == expected);
          }
        }
      }
    }
  }
}

TEST_CASE("linear_argmax of logits that are not above -infinity takes the first column that it may") {
  const float infinity = std::numeric_limits<float>::infinity();
  Grid<float> x(2, 1, 0, 1), w(1, 40, 0, -infinity);
  std::vector<std::int32_t> best(2);
  kernels::linear_argmax(x.view(), Packed(w).weight, nullptr, std::vector<std::int32_t>{0, 1, 3}, best);
  CHECK(best == std::vector<std::int32_t>{2, 2});
  std::fill(w.values.begin(), w.values.end(), std::nanf(""));
  kernels::linear_argmax(x.view(), Packed(w).weight, nullptr, {}, best);
  CHECK(best == std::vector<std::int32_t>{0, 0});
  w.values[33] = infinity;
  kernels::linear_argmax(x.view(), Packed(w).weight, nullptr, {}, best);
  CHECK(best == std::vector<std::int32_t>{33, 33});
}

}  // namespace headwater
