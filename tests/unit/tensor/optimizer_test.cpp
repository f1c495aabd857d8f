#include "unit/tensor/kernel_testing.hpp"

#include "tensor/kernels/naive.hpp"

namespace headwater {
namespace {

using namespace testing;  // NOLINT: the tests' own helpers

// Weights, first and second moments after three steps with changing gradients.
template <class T>
struct State {
  Grid<T> w, m, v;
  std::vector<Grid<T>> all() const { return {w, m, v}; }
};

State<float> start(Index n) {
  State<float> state{random_grid(1, n, 1), random_grid(1, n, 2, 0, 0.1f), random_grid(1, n, 3)};
  for (float& value : state.v.values) value *= value;
  return state;
}

constexpr Index kLengths[] = {0, 1, 7, 8, 9, 15, 16, 17, 33, 65, 130, 5000, 150'000};

// Runs `step(state, gradient, t)` of the float and of the double kernel and compares.
template <class Step, class Naive>
void check_steps(const Step& step, const Naive& naive_step) {
  for (Index n : kLengths) {
    INFO("length ", n);
    State<float> state = start(n);
    State<double> expected{widened(state.w), widened(state.m), widened(state.v)};
    for (int t = 1; t <= 3; ++t) {
      const Grid<float> g = random_grid(1, n, 10 + static_cast<std::uint64_t>(t));
      step(state, g.values.data(), t);
      naive_step(expected, widened(g).values.data(), t);
    }
    CHECK(worst_error(state.w, expected.w) <= 12);
    CHECK(worst_error(state.m, expected.m) <= 12);
    CHECK(worst_error(state.v, expected.v) <= 12);
  }
  check_same_bits_everywhere([&] {
    State<float> state = start(150'000);
    step(state, random_grid(1, 150'000, 10).values.data(), 1);
    return state.all();
  });
}

}  // namespace

TEST_CASE("rmsprop agrees with the naive kernel in double") {
  for (bool inside : {false, true}) {
    const kernels::RmspropRule rule{
        .learning_rate = 0.01f, .rho = 0.9f, .epsilon = 1e-3f, .factor = 0.7f, .epsilon_inside = inside};
    check_steps([&](State<float>& s, const float* g,
                    int) { kernels::rmsprop(rule, s.w.cols, s.w.values.data(), s.v.values.data(), g); },
                [&](State<double>& s, const double* g, int) {
                  naive::rmsprop(rule, s.w.cols, s.w.values.data(), s.v.values.data(), g);
                });
  }
}

TEST_CASE("adam agrees with the naive kernel in double") {
  for (bool hat : {false, true}) {
    for (float decay : {0.0f, 0.1f}) {
      const auto rule = [&](int t) {
        return kernels::AdamRule{.learning_rate = 0.01f,
                                 .beta_1 = 0.9f,
                                 .beta_2 = 0.99f,
                                 .epsilon = 1e-3f,
                                 .factor = 0.7f,
                                 .correction_1 = static_cast<float>(1 - std::pow(0.9, t)),
                                 .correction_2 = static_cast<float>(1 - std::pow(0.99, t)),
                                 .epsilon_hat = hat,
                                 .decay = decay};
      };
      check_steps(
          [&](State<float>& s, const float* g, int t) {
            kernels::adam(rule(t), s.w.cols, s.w.values.data(), s.m.values.data(), s.v.values.data(), g);
          },
          [&](State<double>& s, const double* g, int t) {
            naive::adam(rule(t), s.w.cols, s.w.values.data(), s.m.values.data(), s.v.values.data(), g);
          });
    }
  }
}

TEST_CASE("sgd agrees with the naive kernel in double, with and without momentum") {
  for (bool has_momentum : {false, true}) {
    const kernels::SgdRule rule{
        .learning_rate = 0.1f, .momentum = has_momentum ? 0.9f : 0.0f, .factor = 0.7f};
    check_steps(
        [&](State<float>& s, const float* g, int) {
          kernels::sgd(rule, s.w.cols, s.w.values.data(), has_momentum ? s.m.values.data() : nullptr, g);
        },
        [&](State<double>& s, const double* g, int) {
          naive::sgd(rule, s.w.cols, s.w.values.data(), has_momentum ? s.m.values.data() : nullptr, g);
        });
  }
}

TEST_CASE("optimizer state below 1e-30 becomes 0") {
  Grid<float> w(1, 40, 0, 1), m(1, 40, 0, 1.05e-30f), v(1, 40, 0, 1.05e-30f), g(1, 40);
  kernels::adam({.learning_rate = 0.1f,
                 .beta_1 = 0.9f,
                 .beta_2 = 0.9f,
                 .epsilon = 1,
                 .factor = 1,
                 .correction_1 = 1,
                 .correction_2 = 1,
                 .epsilon_hat = false,
                 .decay = 0},
                40, w.values.data(), m.values.data(), v.values.data(), g.values.data());
  for (float value : m.values) CHECK(value == 0);
  for (float value : v.values) CHECK(value == 0);
  Grid<float> average(1, 40, 0, 1.05e-30f);
  kernels::rmsprop({.learning_rate = 0.1f, .rho = 0.9f, .epsilon = 1, .factor = 1, .epsilon_inside = false},
                   40, w.values.data(), average.values.data(), g.values.data());
  for (float value : average.values) CHECK(value == 0);
}

TEST_CASE("rmsprop: decay at once is as many steps with a zero gradient") {
  const kernels::RmspropRule rule{
      .learning_rate = 0.01f, .rho = 0.9f, .epsilon = 1e-7f, .factor = 1, .epsilon_inside = false};
  State<float> state = start(100);
  state.v.values[3] = 2e-30f;
  Grid<float> zero(1, 100), decayed = state.v;
  const Grid<float> before = state.w;
  for (int t = 0; t < 900; ++t) {
    if (t == 17) {
      kernels::rmsprop_decay(rule.rho, 100, decayed.values.data(), 17);
      CHECK(same_bits(decayed, state.v));
    }
    kernels::rmsprop(rule, 100, state.w.values.data(), state.v.values.data(), zero.values.data());
  }
  kernels::rmsprop_decay(rule.rho, 100, decayed.values.data(), 900 - 17);
  CHECK(same_bits(decayed, state.v));
  CHECK(same_bits(state.w, before));
}

TEST_CASE("a moving average agrees with the naive kernel in double") {
  check_steps(
      [&](State<float>& s, const float* g, int t) {
        kernels::moving_average(0.02f, s.w.cols, g, s.w.values.data(), 7 * t, 7 * t + 7);
      },
      [&](State<double>& s, const double* g, int t) {
        naive::moving_average(0.02f, s.w.cols, g, s.w.values.data(), 7 * t, 7 * t + 7);
      });
}

TEST_CASE("a moving average over many steps at once has the bits of as many single ones") {
  for (const Index n : {Index{1}, Index{63}, Index{64}, Index{150}}) {
    const Grid<float> w = random_grid(1, n, 1);
    Grid<float> at_once = random_grid(1, n, 2), one_by_one = at_once;
    kernels::moving_average(0.01f, n, w.values.data(), at_once.values.data(), 1, 1500);
    for (Index t = 1; t < 1500; ++t)
      kernels::moving_average(0.01f, n, w.values.data(), one_by_one.values.data(), t, t + 1);
    CHECK(same_bits(at_once, one_by_one));
    const Grid<float> before = at_once;
    kernels::moving_average(0.01f, n, w.values.data(), at_once.values.data(), 1500, 1500);  // no step
    CHECK(same_bits(at_once, before));
  }
}

}  // namespace headwater
