// The simpler simple recurrent unit against its equations in double; sequences alone, in batches and token by
// token.
#include "tensor/kernels/recurrent/simple_recurrent.hpp"

#include <vector>

#include "tensor/kernels/naive.hpp"
#include "unit/tensor/kernel_testing.hpp"

namespace headwater {
namespace {

using namespace testing;  // NOLINT: the tests' own helpers

const std::vector<Index> kLengths{3, 0, 7, 1, 4};
constexpr Index kWidths[] = {1, 5, 16, 37};

struct Inputs {
  explicit Inputs(Index width)
      : offsets(offsets_of(kLengths)),
        x(random_grid(offsets.back(), width, 1, 3, 2)),
        gate(random_grid(offsets.back(), width, 2, 1, 4)),
        dh(random_grid(offsets.back(), width, 3, 2)) {}
  std::vector<Index> offsets;
  Grid<float> x, gate, dh;
};

// f, c, h; dx, dgate.
template <class T>
std::vector<Grid<T>> outputs_of(const Inputs& in) {
  return {Grid<T>(in.x.rows, in.x.cols, 1), Grid<T>(in.x.rows, in.x.cols), Grid<T>(in.x.rows, in.x.cols, 2),
          Grid<T>(in.x.rows, in.x.cols, 1), Grid<T>(in.x.rows, in.x.cols, 3)};
}

std::vector<Grid<float>> computed(const Inputs& in) {
  std::vector<Grid<float>> y = outputs_of<float>(in);
  kernels::simple_recurrent(in.offsets, in.x.view(), in.gate.view(), y[0].view(), y[1].view(), y[2].view());
  kernels::simple_recurrent_backward(in.offsets, in.x.view(), y[0].view(), y[1].view(), in.dh.view(),
                                     y[3].view(), y[4].view());
  return y;
}

std::vector<Grid<double>> expected(const Inputs& in) {
  const Grid<double> x = widened(in.x), gate = widened(in.gate), dh = widened(in.dh);
  std::vector<Grid<double>> y = outputs_of<double>(in);
  naive::simple_recurrent(in.offsets, x.view(), gate.view(), y[0].view(), y[1].view(), y[2].view());
  naive::simple_recurrent_backward(in.offsets, x.view(), y[0].view(), y[1].view(), dh.view(), y[3].view(),
                                   y[4].view());
  return y;
}

}  // namespace

TEST_CASE("SSRU: forward and back through time, as its equations say") {
  for (const Index width : kWidths) {
    const Inputs in(width);
    const std::vector<Grid<float>> y = computed(in);
    const std::vector<Grid<double>> wanted = expected(in);
    for (std::size_t i = 0; i < y.size(); ++i) {
      INFO("width ", width, ", output ", i);
      CHECK(worst_error(y[i], wanted[i]) <= 40);
      CHECK(y[i].has_intact_gaps());
    }
  }
}

TEST_CASE("SSRU: two tokens by hand") {
  const std::vector<Index> offsets{0, 2};
  Grid<float> x(2, 1), gate(2, 1), f(2, 1), c(2, 1), h(2, 1);
  x.values = {4, -8};
  kernels::simple_recurrent(offsets, x.view(), gate.view(), f.view(), c.view(), h.view());
  CHECK(f.values == std::vector<float>{0.5f, 0.5f});
  CHECK(c.values == std::vector<float>{2, -3});
  CHECK(h.values == std::vector<float>{2, 0});
}

TEST_CASE("SSRU: the same bits on every code path, for any number of threads") {
  for (const Index width : kWidths) {
    const Inputs in(width);
    check_same_bits_everywhere([&] { return computed(in); });
  }
}

TEST_CASE("SSRU: token by token the bits of the whole, the gate in its place too") {
  for (const Index width : kWidths) {
    const Inputs in(width);
    const std::vector<Grid<float>> whole = computed(in);
    const Index slots_count = static_cast<Index>(kLengths.size());
    Grid<float> states(slots_count + 1, width, 1);
    for (Index step = 0; step < 7; ++step) {
      std::vector<Index> slots, tokens;
      for (Index s = slots_count - 1; s >= 0; --s) {  // slots in any order
        if (step >= kLengths[s]) continue;
        slots.push_back(s + 1);
        tokens.push_back(in.offsets[s] + step);
      }
      const Index rows = static_cast<Index>(slots.size());
      Grid<float> x(rows, width), gate(rows, width, 1), h(rows, width);
      for (Index b = 0; b < rows; ++b) {
        std::copy_n(in.x.view().row(tokens[b]), width, x.view().row(b));
        std::copy_n(in.gate.view().row(tokens[b]), width, gate.view().row(b));
      }
      kernels::simple_recurrent_step(slots, x.view(), gate.view(), gate.view(), states.view(), h.view());
      for (Index b = 0; b < rows; ++b) {
        const float* const wanted = whole[2].view().row(tokens[b]);
        CHECK(std::equal(wanted, wanted + width, h.view().row(b)));
      }
    }
  }
}

}  // namespace headwater
