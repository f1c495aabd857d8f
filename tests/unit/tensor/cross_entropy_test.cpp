// Softmax cross-entropy fused with the output projection: against the naive one in double, against its parts
// taken one by one, and the same bits for any cut into blocks.
#include <algorithm>
#include <cmath>

#include "kernel_testing.hpp"
#include "tensor/kernels/naive.hpp"

namespace headwater {
namespace {

using testing::Grid;
using testing::random_grid;

struct Problem {
  Index T, D, V;
  bool is_transposed = false;
  float smoothing = 0, scale = 1;
  Index longest = 40;  // of a sequence
  bool has_bias = true, accumulate = false;
  bool is_weighted = false;  // by class
  bool is_bias_own = false;  // of an accumulated weight: the bias is overwritten
  float r_drop = 0;          // not 0: rows come in twos, T is even
  bool accumulates_bias() const { return accumulate && !is_bias_own; }
};

struct Result {
  kernels::CrossEntropyTotals totals;
  Grid<float> dh, dw, db;
};

std::vector<Index> offsets_for(Index T, Index longest) {
  std::vector<Index> offsets{0};
  for (Index i = 0; offsets.back() < T; ++i)
    offsets.push_back(std::min(T, offsets.back() + 1 + (i * 7) % longest));
  return offsets;
}

// Labels, the same for `copies` rows in a row.
std::vector<std::int32_t> labels_for(Index T, Index V, Index copies) {
  std::vector<std::int32_t> labels;
  for (Index t = 0; t < T; ++t) labels.push_back(static_cast<std::int32_t>((t / copies * 7919 + 13) % V));
  return labels;
}

struct Inputs {
  Grid<float> h, w, bias, class_weights;
  std::vector<std::int32_t> labels;
  ReductionTree plan;

  explicit Inputs(const Problem& p)
      : h(random_grid(p.T, p.D, 1, 3)),
        w(p.is_transposed ? random_grid(p.V, p.D, 2, 2) : random_grid(p.D, p.V, 2, 2)),
        bias(random_grid(1, p.V, 3)),
        class_weights(1, p.V),
        labels(labels_for(p.T, p.V, p.r_drop != 0 ? 2 : 1)) {
    std::vector<Index> offsets = offsets_for(p.r_drop != 0 ? p.T / 2 : p.T, p.longest);
    for (Index& offset : offsets) offset *= p.r_drop != 0 ? 2 : 1;
    plan.assign(offsets);
    for (Index c = 0; c < p.V; ++c) class_weights.values[c] = 0.25f + static_cast<float>(c % 5);
  }
  std::span<const float> weights(const Problem& p) const {
    return p.is_weighted ? std::span<const float>(class_weights.values).first(p.V) : std::span<const float>();
  }
};

// Scratch is filled with a guard: nothing may be read before it is written.
Result compute(const Problem& p, const Inputs& in, bool wants_gradients = true) {
  Result r{{},
           Grid<float>(p.T, p.D, 2),
           Grid<float>(in.w.rows, in.w.cols, 3, p.accumulate ? 0.5f : testing::kGuard),
           Grid<float>(1, p.V, 0, p.accumulates_bias() ? 0.5f : testing::kGuard)};
  Grid<float> block(kernels::cross_entropy_block_rows(in.plan, p.V), p.V, 1, testing::kGuard);
  Grid<float> scratch(kernels::cross_entropy_scratch_rows(in.plan, p.V), p.D * p.V + p.V, 0, testing::kGuard);
  kernels::CrossEntropyGradients gradients{.dh = r.dh.view(),
                                           .dw = r.dw.view(),
                                           .db = p.has_bias ? r.db.values.data() : nullptr,
                                           .accumulate_weight = p.accumulate,
                                           .accumulate_bias = p.accumulates_bias(),
                                           .reduction_scratch = scratch.view()};
  r.totals = kernels::linear_cross_entropy(in.h.view(), in.w.view(), p.is_transposed,
                                           p.has_bias ? in.bias.values.data() : nullptr, in.labels,
                                           p.smoothing, p.scale, in.plan, block.view(),
                                           wants_gradients ? &gradients : nullptr, in.weights(p), p.r_drop);
  CHECK(r.dh.has_intact_gaps());
  CHECK(r.dw.has_intact_gaps());
  CHECK(block.has_intact_gaps());
  return r;
}

void check_against_naive(const Problem& p) {
  CAPTURE(p.T);
  CAPTURE(p.D);
  CAPTURE(p.V);
  CAPTURE(p.is_transposed);
  CAPTURE(p.accumulate);
  const Inputs in(p);
  const Result r = compute(p, in);
  Grid<double> dh(p.T, p.D), dw(in.w.rows, in.w.cols, 0, p.accumulate ? 0.5 : 0.0),
      db(1, p.V, 0, p.accumulates_bias() ? 0.5 : 0.0);
  const naive::CrossEntropyGradients gradients{dh.view(), dw.view(), p.has_bias ? db.values.data() : nullptr,
                                               p.accumulate, p.accumulates_bias()};
  const Grid<double> bias = testing::widened(in.bias);
  const Grid<double> class_weights = testing::widened(in.class_weights);
  const std::span<const double> weights(class_weights.values);
  const kernels::CrossEntropyTotals exact = naive::linear_cross_entropy(
      testing::widened(in.h).view(), testing::widened(in.w).view(), p.is_transposed,
      p.has_bias ? bias.values.data() : nullptr, in.labels, static_cast<double>(p.smoothing),
      static_cast<double>(p.scale), &gradients,
      p.is_weighted ? weights.first(p.V) : std::span<const double>(), static_cast<double>(p.r_drop));
  const double rows = static_cast<double>(p.T), depth = std::sqrt(static_cast<double>(p.D));
  CHECK(std::abs(r.totals.loss - exact.loss) <= 8 * depth * testing::kEpsilon * (rows + exact.loss));
  CHECK(r.totals.tokens == p.T);
  CHECK(r.totals.correct == exact.correct);
  CHECK(testing::worst_error(r.dh, dh) <= 8 * depth);
  CHECK(testing::worst_error(r.dw, dw) <= 8 * depth);
  if (p.has_bias) CHECK(testing::worst_error(r.db, db) <= 8 * depth);
  // Without gradients: the same totals.
  const Result without = compute(p, in, false);
  CHECK(without.totals.loss == r.totals.loss);
  CHECK(without.totals.correct == r.totals.correct);
}

TEST_CASE("linear_cross_entropy: loss, verdicts and gradients against the naive ones in double") {
  for (Index V : {1, 2, 7, 15, 16, 17, 33, 130})
    check_against_naive({.T = 21, .D = 9, .V = V, .scale = 0.1f});
  for (Index T : {1, 2, 8, 9, 65})
    check_against_naive({.T = T, .D = 17, .V = 50, .scale = 1.0f / static_cast<float>(T)});
  for (Index D : {1, 16, 33}) check_against_naive({.T = 30, .D = D, .V = 40});
  check_against_naive({.T = 400, .D = 20, .V = 300, .scale = 0.01f});
  check_against_naive({.T = 400, .D = 20, .V = 300, .scale = 0.01f, .has_bias = false});
}

TEST_CASE(
    "linear_cross_entropy: smoothing, transposed weights, more blocks than one, added to what is there") {
  for (bool is_transposed : {false, true}) {
    for (bool accumulate : {false, true}) {
      for (Index T : {40, 700, 1500, 3300, 9000}) {
        for (Index longest : {40, 500}) {
          for (float r_drop : {0.0f, 5.0f}) {
            check_against_naive({.T = T,
                                 .D = 12,
                                 .V = 37,
                                 .is_transposed = is_transposed,
                                 .smoothing = 0.1f,
                                 .scale = 1.0f / static_cast<float>(T),
                                 .longest = longest,
                                 .accumulate = accumulate,
                                 .r_drop = r_drop});
          }
        }
      }
    }
  }
}

TEST_CASE("linear_cross_entropy: rows weighted by their classes; weights of 1 change no bit") {
  for (const bool is_transposed : {false, true}) {
    for (const Index T : {9, 700, 3300}) {
      Problem p{.T = T, .D = 12, .V = 37, .is_transposed = is_transposed, .smoothing = 0.1f};
      p.scale = 1.0f / static_cast<float>(T);
      p.is_weighted = true;
      check_against_naive(p);
      Inputs in(p);
      std::fill(in.class_weights.values.begin(), in.class_weights.values.end(), 1.0f);
      const Result ones = compute(p, in);
      p.is_weighted = false;
      const Result plain = compute(p, in);
      CHECK(ones.totals.loss == plain.totals.loss);
      CHECK(ones.dw.values == plain.dw.values);
      CHECK(ones.dh.values == plain.dh.values);
    }
  }
}

TEST_CASE("linear_cross_entropy: two passes of each token, whose divergence counts") {
  for (const Index V : {1, 2, 15, 16, 17, 130})
    check_against_naive({.T = 22, .D = 9, .V = V, .scale = 0.1f, .r_drop = 2.5f});
  for (const Index T : {2, 16}) check_against_naive({.T = T, .D = 12, .V = 37, .r_drop = 5});
}

TEST_CASE("linear_cross_entropy: two equal passes have no divergence, and the gradients of one") {
  Problem p{.T = 60, .D = 12, .V = 37, .smoothing = 0.1f, .scale = 0.1f, .r_drop = 5};
  Inputs in(p);
  for (Index t = 0; t < p.T; t += 2) std::copy_n(in.h.view().row(t), p.D, in.h.view().row(t + 1));
  const Result both = compute(p, in);
  p.r_drop = 0;
  const Result plain = compute(p, in);
  CHECK(both.totals.loss == plain.totals.loss);
  CHECK(both.totals.correct == plain.totals.correct);
  CHECK(testing::worst_error(both.dw, testing::widened(plain.dw)) <= 32);
}

TEST_CASE("linear_cross_entropy: the bias of a tied table is its own") {
  for (Index T : {40, 1500}) {
    for (Index longest : {40, 500}) {
      check_against_naive({.T = T,
                           .D = 12,
                           .V = 37,
                           .is_transposed = true,
                           .scale = 1.0f / static_cast<float>(T),
                           .longest = longest,
                           .accumulate = true,
                           .is_bias_own = true});
    }
  }
}

TEST_CASE("linear_cross_entropy: no tokens") {
  for (bool accumulate : {false, true}) {
    const Problem p{.T = 0, .D = 5, .V = 7, .accumulate = accumulate};
    const Result r = compute(p, Inputs(p));
    CHECK(r.totals.loss == 0);
    CHECK(r.totals.tokens == 0);
    const float expected = accumulate ? 0.5f : 0.0f;
    for (Index d = 0; d < 5; ++d)
      CHECK(std::all_of(r.dw.view().row(d), r.dw.view().row(d) + 7, [&](float x) { return x == expected; }));
    CHECK(std::all_of(r.db.values.begin(), r.db.values.end(), [&](float x) { return x == expected; }));
  }
}

// Gradients of the logits one row a time (each its own problem), then the products of kernels.hpp over all
// rows at once: no blocks.
TEST_CASE("linear_cross_entropy: blocks do not show: dw, db and dh are those of the whole matrix of logits") {
  for (bool is_transposed : {false, true}) {
    for (Index T : {100, 900, 2600, 7000}) {
      const Problem p{
          .T = T, .D = 24, .V = 61, .is_transposed = is_transposed, .scale = 0.01f, .longest = 200};
      const Inputs in(p);
      const Result r = compute(p, in);
      Grid<float> logits(T, p.V), dh(T, p.D, 2), dw(in.w.rows, in.w.cols, 3), db(1, p.V);
      for (Index t = 0; t < T; ++t) {
        // With h = 0 and these logits as bias, one row's gradient of the bias is the gradient of its logits.
        Grid<float> row(1, p.V), zero_h(1, p.D), zero_w = in.w, gradient_h(1, p.D), gradient_w = in.w,
                                                 gradient(1, p.V), block(1, p.V);
        for (Index c = 0; c < zero_w.rows; ++c) std::fill_n(zero_w.view().row(c), zero_w.cols, 0.0f);
        const ConstMatrix h = in.h.view().rows_between(t, t + 1);
        if (is_transposed) {
          kernels::linear_transposed(h, in.w.view(), in.bias.values.data(), row.view());
        } else {
          kernels::linear(h, in.w.view(), in.bias.values.data(), kernels::Activation::none, row.view());
        }
        ReductionTree one;
        one.assign(std::vector<Index>{0, 1});
        kernels::CrossEntropyGradients gradients;
        gradients.dh = gradient_h.view();
        gradients.dw = gradient_w.view();
        gradients.db = gradient.values.data();
        const std::vector<std::int32_t> label{in.labels[t]};
        kernels::linear_cross_entropy(zero_h.view(), zero_w.view(), is_transposed, row.values.data(), label,
                                      0, p.scale, one, block.view(), &gradients);
        std::copy(gradient.values.begin(), gradient.values.end(), logits.view().row(t));
      }
      if (is_transposed) {
        kernels::linear(logits.view(), in.w.view(), nullptr, kernels::Activation::none, dh.view());
        kernels::linear_backward_weight(logits.view(), in.h.view(), in.plan, dw.view(), nullptr, false);
        Grid<float> unused(p.D, p.V);
        kernels::linear_backward_weight(in.h.view(), logits.view(), in.plan, unused.view(), db.values.data(),
                                        false);
      } else {
        kernels::linear_backward_input(logits.view(), in.w.view(), dh.view(), false);
        kernels::linear_backward_weight(in.h.view(), logits.view(), in.plan, dw.view(), db.values.data(),
                                        false);
      }
      CHECK(testing::same_bits(r.dh, dh));
      CHECK(testing::same_bits(r.dw, dw));
      CHECK(testing::same_bits(r.db, db));
    }
  }
}

TEST_CASE("linear_cross_entropy: of equal largest logits the first one counts") {
  const Problem p{.T = 4, .D = 3, .V = 40};
  Inputs in(p);
  std::fill(in.w.values.begin(), in.w.values.end(), 0.0f);
  std::fill(in.bias.values.begin(), in.bias.values.end(), 0.0f);
  in.bias.values[20] = in.bias.values[35] = 1;
  in.labels = {20, 35, 20, 0};
  CHECK(compute(p, in).totals.correct == 2);
}

TEST_CASE("linear_cross_entropy: what is not a number is not hidden") {
  const Problem p{.T = 9, .D = 4, .V = 33};
  Inputs in(p);
  in.h.view().row(3)[2] = std::numeric_limits<float>::quiet_NaN();
  const Result r = compute(p, in);
  CHECK(std::isnan(r.totals.loss));
  CHECK(std::isnan(r.dw.view().row(0)[0]));
}

TEST_CASE("linear_cross_entropy: the same bits on every code path, for any number of threads") {
  for (const Problem& p :
       {Problem{.T = 50, .D = 33, .V = 400, .smoothing = 0.1f, .scale = 0.02f},
        Problem{.T = 1400, .D = 16, .V = 90, .is_transposed = true, .scale = 0.02f, .longest = 300},
        Problem{.T = 50, .D = 8, .V = 5, .scale = 0.02f, .is_weighted = true},
        Problem{.T = 1400, .D = 16, .V = 90, .smoothing = 0.1f, .scale = 0.02f, .longest = 300, .r_drop = 5},
        Problem{.T = 50, .D = 8, .V = 400, .is_transposed = true, .scale = 0.02f, .r_drop = 0.5f}}) {
    const Inputs in(p);
    testing::check_same_bits_everywhere([&] {
      Result r = compute(p, in);
      Grid<float> loss(1, 2);
      std::memcpy(loss.values.data(), &r.totals.loss, sizeof r.totals.loss);
      return std::vector{r.dh, r.dw, r.db, loss};
    });
  }
}

}  // namespace
}  // namespace headwater
