// Depthwise convolution against its definition, in parts of a batch, over lines and images.
#include "tensor/kernels/convolution/convolution.hpp"

#include <vector>

#include "error_text.hpp"
#include "unit/tensor/kernel_testing.hpp"

namespace headwater {
namespace {

using namespace testing;  // NOLINT: the tests' own helpers
using kernels::Convolution;
using kernels::Neighborhood;

struct Case {
  Neighborhood hood;
  std::vector<Index> lengths;
};

// use(t, u, i): token u is neighbour i of token t.
template <class Use>
void for_each_neighbor(const Case& c, const Use& use) {
  Index begin = 0;
  for (const Index length : c.lengths) {
    const Index columns = c.hood.columns == 0 ? length : c.hood.columns;
    for (Index t = 0; t < length; ++t) {
      for (Index u = 0; u < length; ++u) {
        const Index down = u / columns - t / columns, right = u % columns - t % columns, k = c.hood.reach;
        if (c.hood.is_causal) {
          if (u <= t && u >= t - 2 * k) use(begin + t, begin + u, u - t + 2 * k);
          continue;
        }
        if (std::abs(down) > k || std::abs(right) > k) continue;
        const Index tap = c.hood.columns == 0 ? right + k : (down + k) * (2 * k + 1) + right + k;
        use(begin + t, begin + u, tap);
      }
    }
    begin += length;
  }
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all{{{.reach = 1}, {5, 1, 7}},
                                     {{.reach = 4}, {3, 0, 30, 2}},
                                     {{.reach = 0}, {4, 4}},
                                     {{.reach = 1, .columns = 3}, {9, 6, 3}},
                                     {{.reach = 2, .columns = 4}, {16, 16, 20}},
                                     {{.reach = 2, .is_causal = true}, {1, 9, 0, 4, 30}},
                                     {{.reach = 2}, {600, 700}}};
  return all;
}

}  // namespace

TEST_CASE("depthwise convolution: forward, backward, weights, as defined") {
  for (const Case& c : cases()) {
    const std::vector<Index> offsets = offsets_of(c.lengths);
    for (const Index width : {1, 5, 32, 70}) {
      const Index tokens = offsets.back(), taps = c.hood.taps();
      const Grid<float> x = random_grid(tokens, width, 1, 3), w = random_grid(taps, width, 2, 1),
                        dy = random_grid(tokens, width, 3, 2);
      Grid<double> wanted(tokens, width), wanted_dx(tokens, width), wanted_dw(taps, width);
      for_each_neighbor(c, [&](Index t, Index u, Index tap) {
        for (Index d = 0; d < width; ++d) {
          const auto weight = static_cast<double>(w.view().row(tap)[d]);
          wanted.view().row(t)[d] += weight * static_cast<double>(x.view().row(u)[d]);
          wanted_dx.view().row(u)[d] += weight * static_cast<double>(dy.view().row(t)[d]);
          wanted_dw.view().row(tap)[d] +=
              static_cast<double>(dy.view().row(t)[d]) * static_cast<double>(x.view().row(u)[d]);
        }
      });
      ReductionTree plan;
      plan.assign(offsets);
      Grid<float> y(tokens, width, 2), dx(tokens, width, 1), dw(taps, width, 3);
      kernels::depthwise_convolution(Convolution::forward, x.view(), offsets, c.hood, w.view(), y.view(),
                                     false);
      kernels::depthwise_convolution(Convolution::backward, dy.view(), offsets, c.hood, w.view(), dx.view(),
                                     false);
      kernels::depthwise_convolution_weights(x.view(), offsets, c.hood, dy.view(), plan, dw.view(), false);
      CHECK(worst_error(y, wanted) <= 64);
      CHECK(worst_error(dx, wanted_dx) <= 64);
      CHECK(worst_error(dw, wanted_dw) <= 4096);
      CHECK(y.has_intact_gaps());
      CHECK(dw.has_intact_gaps());
      // Once more on top of it.
      const Grid<float> once = dw;
      kernels::depthwise_convolution_weights(x.view(), offsets, c.hood, dy.view(), plan, dw.view(), true);
      kernels::depthwise_convolution(Convolution::forward, x.view(), offsets, c.hood, w.view(), y.view(),
                                     true);
      for (double& value : wanted.values) value *= 2;
      CHECK(worst_error(y, wanted) <= 64);
      for (Index d = 0; d < width && taps > 0; ++d) CHECK(dw.view().row(0)[d] == 2 * once.view().row(0)[d]);
    }
  }
}

TEST_CASE("causal depthwise convolution step by step has the bits of whole sequences") {
  const std::vector<Index> lengths{1, 9, 4, 30}, offsets = offsets_of(lengths);
  const Neighborhood hood{.reach = 2, .is_causal = true};
  for (const Index width : {5, 32, 70}) {
    const Grid<float> x = random_grid(offsets.back(), width, 1, 3), w = random_grid(hood.taps(), width, 2, 1);
    Grid<float> whole(offsets.back(), width), stepped(offsets.back(), width);
    kernels::depthwise_convolution(Convolution::forward, x.view(), offsets, hood, w.view(), whole.view(),
                                   false);
    kernels::RowCache cache{.width = width, .capacity = hood.taps()};
    std::vector<float> rows(cache.floats(4), std::nanf(""));
    cache.rows = rows.data();
    for (Index t = 0; t < 30; ++t) {
      for (Index s = 3; s >= 0; --s) {
        if (t >= lengths[s]) continue;
        const Index row = offsets[s] + t, slot = (s + 1) % 4, length = t + 1;
        kernels::append_to_cache(cache, {&slot, 1}, {&t, 1}, x.view().rows_between(row, row + 1));
        kernels::depthwise_convolution_over_cache(cache, {&slot, 1}, {&length, 1}, w.view(),
                                                  stepped.view().rows_between(row, row + 1));
      }
    }
    CHECK(same_bits(stepped, whole));
  }
}

TEST_CASE("a sequence alone has the bits that it has in a batch; rows that are not whole are refused") {
  const Case& c = cases()[4];
  const std::vector<Index> offsets = offsets_of(c.lengths), alone{0, 16};
  const Grid<float> x = random_grid(offsets.back(), 9, 1, 3), w = random_grid(c.hood.taps(), 9, 2, 1);
  Grid<float> together(offsets.back(), 9), single(16, 9);
  kernels::depthwise_convolution(Convolution::forward, x.view(), offsets, c.hood, w.view(), together.view(),
                                 false);
  kernels::depthwise_convolution(Convolution::forward, x.view().rows_between(16, 32), alone, c.hood, w.view(),
                                 single.view(), false);
  for (Index t = 0; t < 16; ++t) {
    for (Index d = 0; d < 9; ++d) CHECK(single.view().row(t)[d] == together.view().row(16 + t)[d]);
  }
  const std::vector<Index> broken{0, 7};
  CHECK(error_text([&] {
          kernels::depthwise_convolution(Convolution::forward, x.view().rows_between(0, 7), broken, c.hood,
                                         w.view(), single.view().rows_between(0, 7), false);
        }) == "convolution: a sequence of 7 tokens in rows of 4");
}

}  // namespace headwater
