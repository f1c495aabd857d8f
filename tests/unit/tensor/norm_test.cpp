#include "unit/tensor/kernel_testing.hpp"

#include "tensor/kernels/naive.hpp"

namespace headwater {
namespace {

using namespace testing;  // NOLINT: the tests' own helpers

// Sequences of all test lengths, and one that is longer than a chunk of the reduction.
ReductionTree plan_of(const std::vector<Index>& lengths) {
  ReductionTree plan;
  plan.assign(offsets_of(lengths));
  return plan;
}

const std::vector<Index> kBatches[] = {
    {}, {0}, {1}, {7, 8, 9}, {0, 1, 7, 8, 9, 15, 16, 17, 33, 65, 130}, {5, 1100, 40}};

struct Results {
  Grid<float> sum, y, moments, dx, parameters;  // parameters: rows dgamma, dbeta
};

struct Options {
  bool has_residual = false, accumulates = false, has_beta = true, is_centred = true;
};

Results run(const ReductionTree& plan, Index width, const Options& options) {
  const auto [has_residual, accumulates, has_beta, is_centred] = options;
  const Index gap = width % 3, rows = plan.rows;
  const Grid<float> x = random_grid(rows, width, 1, gap), residual = random_grid(rows, width, 2, gap),
                    gamma = random_grid(1, width, 3), beta = random_grid(1, width, 4),
                    dy = random_grid(rows, width, 5, gap);
  const float unset = accumulates ? 0.5f : std::numeric_limits<float>::quiet_NaN();
  Results r{Grid<float>(rows, width, gap), Grid<float>(rows, width, gap, unset),
            Grid<float>(rows, 2, 0, unset), Grid<float>(rows, width, gap, unset),
            Grid<float>(2, width, 0, unset)};
  const kernels::NormRule rule{gamma.values.data(), has_beta ? beta.values.data() : nullptr, 1e-3f,
                               is_centred};
  kernels::norm(x.view(), has_residual ? residual.view() : ConstMatrix(), rule,
                has_residual ? r.sum.view() : Matrix(), r.y.view(), r.moments.view());
  if (!has_residual) r.sum = x;
  const Grid<float>& normalised = r.sum;
  if (!has_beta) std::fill_n(r.parameters.view().row(1), width, 0.5f);  // which stays
  kernels::norm_backward(
      normalised.view(), r.moments.view(), rule, dy.view(), plan, r.dx.view(), accumulates,
      {r.parameters.view().row(0), has_beta ? r.parameters.view().row(1) : nullptr, accumulates});
  return r;
}

}  // namespace

TEST_CASE("norms: forward and backward agree with the naive kernel in double") {
  for (const std::vector<Index>& lengths : kBatches) {
    const ReductionTree plan = plan_of(lengths);
    for (Index width : {1, 7, 8, 9, 15, 16, 17, 33, 65, 130, 256}) {
      for (const Options& options : {Options{},
                                     {.accumulates = true},
                                     {.has_residual = true},
                                     {.has_residual = true, .accumulates = true},
                                     {.has_beta = false},
                                     {.accumulates = true, .has_beta = false},
                                     {.has_beta = false, .is_centred = false},
                                     {true, true, true, false}}) {
        const auto [has_residual, accumulates, has_beta, is_centred] = options;
        INFO("rows ", plan.rows, ", width ", width, ", residual ", has_residual, ", accumulate ", accumulates,
             ", beta ", has_beta, ", centred ", is_centred);
        const Results r = run(plan, width, options);
        const Index rows = plan.rows;
        const Grid<double> x = widened(random_grid(rows, width, 1)),
                           residual = widened(random_grid(rows, width, 2)),
                           gamma = widened(random_grid(1, width, 3)),
                           beta = widened(random_grid(1, width, 4)),
                           dy = widened(random_grid(rows, width, 5));
        Grid<double> sum(rows, width), y(rows, width), moments(rows, 2), dx(rows, width, 0, 0.5),
            parameters(2, width, 0, 0.5);
        const naive::NormRule rule{gamma.values.data(), has_beta ? beta.values.data() : nullptr, 1e-3f,
                                   is_centred};
        naive::norm(x.view(), has_residual ? residual.view() : MatrixOf<const double>(), rule, sum.view(),
                    y.view(), moments.view());
        naive::norm_backward(
            sum.view(), moments.view(), rule, dy.view(), dx.view(), accumulates,
            {parameters.view().row(0), has_beta ? parameters.view().row(1) : nullptr, accumulates});
        // A row of one or few values can have a small variance, whose inverse root (up to 32) magnifies
        // rounding.
        const double magnified = width < 16 ? 32 : 4;
        CHECK(worst_error(r.sum, sum) <= 1);
        CHECK(worst_error(r.y, y) <= 4 * magnified);
        CHECK(worst_error(r.moments, moments) <= 4 * magnified);
        CHECK(worst_error(r.dx, dx) <= 8 * magnified);
        // Each of n additions rounds a partial sum of about sqrt(n) by at most one unit.
        CHECK(worst_error(r.parameters, parameters) <= 16 * magnified + static_cast<double>(rows) / 2);
        for (const Grid<float>* grid : {&r.sum, &r.y, &r.dx}) CHECK(grid->has_intact_gaps());
      }
    }
  }
}

TEST_CASE("norms: an RMS norm divides by the root of the mean square") {
  const float x[] = {3, 4, 0, 0}, gamma[] = {2, 1, 1, 1};
  float y[4];
  kernels::norm({x, 1, 4}, {}, {gamma, nullptr, 0, false}, {}, {y, 1, 4}, {});
  CHECK(std::vector<float>(y, y + 4) == std::vector<float>{2.4f, 1.6f, 0, 0});
}

TEST_CASE("norms: gradients of the parameters are exactly the reduction of the plan") {
  // Fewer tokens than are cut into parts; parts of one and of several leaves; a part of very different size.
  for (const std::vector<Index>& lengths : {std::vector<Index>{3, 40, 1, 70},
                                            std::vector<Index>(90, 20),
                                            std::vector<Index>(9, 700),
                                            {2000, 3, 5, 1, 900, 2}}) {
    const ReductionTree plan = plan_of(lengths);
    for (const Index width : {1, 33, 64, 150}) {
      const Results r = run(plan, width, {});
      const Grid<float> x = random_grid(plan.rows, width, 1), dy = random_grid(plan.rows, width, 5);
      Grid<float> exact(2, width);
      for (Index c = 0; c < width; ++c) {
        std::vector<float> gammas, betas;
        for (const ReductionLeaf& leaf : plan.leaves) {
          float gamma = 0, beta = 0;
          for (Index t = leaf.begin; t < leaf.end; ++t) {
            const float* const moments = r.moments.view().row(t);
            gamma = std::fma(dy.view().row(t)[c], (x.view().row(t)[c] - moments[0]) * moments[1], gamma);
            beta += dy.view().row(t)[c];
          }
          for (int merge = 0; merge < leaf.merges; ++merge) {
            gamma = gammas.back() + gamma;
            beta = betas.back() + beta;
            gammas.pop_back();
            betas.pop_back();
          }
          gammas.push_back(gamma);
          betas.push_back(beta);
        }
        exact.view().row(0)[c] = gammas.front();
        exact.view().row(1)[c] = betas.front();
      }
      INFO("rows ", plan.rows, ", width ", width);
      CHECK(same_bits(r.parameters, exact));
    }
  }
}

TEST_CASE("norms: the same bits on every code path and for any number of threads") {
  for (const std::vector<Index>& lengths : kBatches) {
    const ReductionTree plan = plan_of(lengths);
    for (Index width : {1, 9, 17, 33, 130, 256}) {
      for (const Options& options : {Options{.has_residual = true, .accumulates = true},
                                     {.has_beta = false},
                                     {.has_beta = false, .is_centred = false}}) {
        INFO("rows ", plan.rows, ", width ", width, ", beta ", options.has_beta, ", centred ",
             options.is_centred);
        check_same_bits_everywhere([&] {
          const Results r = run(plan, width, options);
          return std::vector<Grid<float>>{r.sum, r.y, r.moments, r.dx, r.parameters};
        });
      }
    }
  }
}

TEST_CASE("norms: the sum may stand where an input was") {
  const Grid<float> x = random_grid(9, 33, 1), residual = random_grid(9, 33, 2),
                    gamma = random_grid(1, 33, 3), beta = random_grid(1, 33, 4);
  Grid<float> sum(9, 33), y(9, 33), in_place = x, other = residual, y_again(9, 33);
  const auto norm = [&](ConstMatrix a, ConstMatrix b, Matrix to, Matrix out) {
    kernels::norm(a, b, {gamma.values.data(), beta.values.data(), 1e-6f}, to, out, {});
  };
  norm(x.view(), residual.view(), sum.view(), y.view());
  norm(in_place.view(), residual.view(), in_place.view(), y_again.view());
  CHECK(same_bits(in_place, sum));
  CHECK(same_bits(y_again, y));
  norm(x.view(), other.view(), other.view(), y_again.view());
  CHECK(same_bits(other, sum));
  CHECK(same_bits(y_again, y));
}

}  // namespace headwater
