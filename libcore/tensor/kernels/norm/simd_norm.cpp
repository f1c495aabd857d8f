// Norms of a block of rows; sums by the 16-lane rule, the mean first, then the variance
// of the differences.
#include "tensor/kernels/norm/norm_table.hpp"
#include "tensor/simd.hpp"

namespace headwater::kernels::HEADWATER_ISA {

namespace {

// f(column, lanes) for each group of 16 columns; the last may have fewer lanes.
template <class F>
void for_each_group(Index cols, const F& f) {
  Index c = 0;
  for (; c + 16 <= cols; c += 16) f(c, 16);
  if (c < cols) f(c, cols - c);
}

f32x16 load(const float* x, Index lanes) {
  return lanes == 16 ? f32x16::load(x) : f32x16::load_partial(x, lanes);
}
void store(f32x16 value, float* x, Index lanes) {
  if (lanes == 16) {
    value.store(x);
  } else {
    value.store_partial(x, lanes);
  }
}
// Lanes beyond the row count as missing in a sum.
f32x16 only(f32x16 value, Index lanes) {
  return lanes == 16 ? value : first_lanes(lanes, value, f32x16::zero());
}

void forward(const NormRuleOf<float>& rule, MatrixOf<const float> x, MatrixOf<const float> residual,
             const NormOutputs& to) {
  const Index D = x.cols;
  const float width = static_cast<float>(D);
  for (Index t = 0; t < x.rows; ++t) {
    const float* in = x.row(t);
    const float* other = residual ? residual.row(t) : nullptr;
    const auto value = [&](Index c, Index lanes) {
      return other ? load(in + c, lanes) + load(other + c, lanes) : load(in + c, lanes);
    };
    float mean = 0;
    if (rule.is_centred) {
      f32x16 sum = f32x16::zero();
      for_each_group(D, [&](Index c, Index lanes) { sum = sum + value(c, lanes); });
      mean = reduce_add(sum) / width;
    }
    const f32x16 m = f32x16::broadcast(mean);
    f32x16 squares = f32x16::zero();
    for_each_group(D, [&](Index c, Index lanes) {
      const f32x16 difference = only(value(c, lanes) - m, lanes);
      squares = fma(difference, difference, squares);
    });
    const float inverse = 1 / __builtin_sqrtf(reduce_add(squares) / width + rule.epsilon);
    const f32x16 factor = f32x16::broadcast(inverse);
    for_each_group(D, [&](Index c, Index lanes) {
      const f32x16 v = value(c, lanes);
      const f32x16 beta = rule.beta ? load(rule.beta + c, lanes) : f32x16::zero();
      store(fma(load(rule.gamma + c, lanes), (v - m) * factor, beta), to.y.row(t) + c, lanes);
      if (to.sum) store(v, to.sum.row(t) + c, lanes);
    });
    if (to.moments) {
      to.moments.row(t)[0] = mean;
      to.moments.row(t)[1] = inverse;
    }
  }
}

void backward_input(const NormBackward& of) {
  const MatrixOf<const float> x = of.x, moments = of.moments, dy = of.dy;
  const Index D = x.cols;
  const float width = static_cast<float>(D);
  for (Index t = 0; t < x.rows; ++t) {
    const f32x16 mean = f32x16::broadcast(moments.row(t)[0]), inverse = f32x16::broadcast(moments.row(t)[1]);
    const auto normed = [&](Index c, Index lanes) { return (load(x.row(t) + c, lanes) - mean) * inverse; };
    const auto scaled = [&](Index c, Index lanes) {
      return load(of.rule.gamma + c, lanes) * load(dy.row(t) + c, lanes);
    };
    f32x16 sum = f32x16::zero(), product = f32x16::zero();
    for_each_group(D, [&](Index c, Index lanes) {
      const f32x16 g = scaled(c, lanes);  // missing lanes are 0
      sum = sum + g;
      product = fma(g, normed(c, lanes), product);
    });
    const f32x16 mean_g = f32x16::broadcast(of.rule.is_centred ? reduce_add(sum) / width : 0),
                 mean_gx = f32x16::broadcast(-(reduce_add(product) / width));
    for_each_group(D, [&](Index c, Index lanes) {
      f32x16 gradient = inverse * fma(normed(c, lanes), mean_gx, scaled(c, lanes) - mean_g);
      if (of.accumulate) gradient = load(of.dx.row(t) + c, lanes) + gradient;
      store(gradient, of.dx.row(t) + c, lanes);
    });
  }
}

// The chains of dgamma and dbeta in columns [first, first + 16·P) go on over the rows of x; gamma and beta
// are at the first of these columns.
template <int P>
void add_rows(MatrixOf<const float> x, MatrixOf<const float> moments, MatrixOf<const float> dy, Index first,
              float* gamma, float* beta) {
  const Index lanes = x.cols - first < 16 * P ? x.cols - first - 16 * (P - 1) : 16;  // of the last group
  f32x16 gammas[P], betas[P];
#pragma GCC unroll 4
  for (int p = 0; p < P; ++p) {
    gammas[p] = f32x16::load(gamma + 16 * p);
    betas[p] = f32x16::load(beta + 16 * p);
  }
  for (Index t = 0; t < x.rows; ++t) {
    const f32x16 mean = f32x16::broadcast(moments.row(t)[0]), inverse = f32x16::broadcast(moments.row(t)[1]);
#pragma GCC unroll 4
    for (int p = 0; p < P; ++p) {
      const Index c = first + 16 * p, n = p < P - 1 ? 16 : lanes;
      const f32x16 cotangent = load(dy.row(t) + c, n);
      gammas[p] = fma(cotangent, (load(x.row(t) + c, n) - mean) * inverse, gammas[p]);
      betas[p] = betas[p] + cotangent;
    }
  }
#pragma GCC unroll 4
  for (int p = 0; p < P; ++p) {
    gammas[p].store(gamma + 16 * p);
    betas[p].store(beta + 16 * p);
  }
}

// lower[i] += sums[i].
void merge(Index n, float* lower, const float* sums) {
  for (Index i = 0; i < n; i += 16) (f32x16::load(lower + i) + f32x16::load(sums + i)).store(lower + i);
}
void clear(Index n, float* sums) {
  for (Index i = 0; i < n; i += 16) f32x16::zero().store(sums + i);
}

void backward(const NormBackward& of, const Leaves& leaves, int last_merges, float* stack, float* sums) {
  constexpr Index kRows = 16;  // stay in L1 between the two gradients
  const Index D = of.x.cols, width = padded_width(D), both = 2 * width;
  int top = 0;
  for (Index leaf = 0; leaf < leaves.count; ++leaf, ++top) {
    float* const gamma = stack + top * both;
    clear(both, gamma);
    for (Index begin = leaves.first[leaf].begin; begin < leaves.first[leaf].end; begin += kRows) {
      const Index end = begin + kRows < leaves.first[leaf].end ? begin + kRows : leaves.first[leaf].end;
      const MatrixOf<const float> x = of.x.rows_between(begin, end), dy = of.dy.rows_between(begin, end),
                                  moments = of.moments.rows_between(begin, end);
      Index c = 0;
      for (; c + 64 <= D; c += 64) add_rows<4>(x, moments, dy, c, gamma + c, gamma + width + c);
      for (; c < D; c += 16) add_rows<1>(x, moments, dy, c, gamma + c, gamma + width + c);
      backward_input({x, moments, of.rule, dy, of.dx.rows_between(begin, end), of.accumulate});
    }
    const int merges = leaf + 1 < leaves.count ? leaves.first[leaf].merges : last_merges;
    for (int m = 0; m < merges; ++m, --top) merge(both, stack + (top - 1) * both, stack + top * both);
  }
  for (Index i = 0; i < both; i += 16) f32x16::load(stack + i).store(sums + i);
}

// Columns [first, first + 16·P) of dgamma and dbeta: chains over the tokens of each leaf, reduced on a stack.
template <int P>
void parameter_columns(MatrixOf<const float> x, MatrixOf<const float> moments, MatrixOf<const float> dy,
                       const Leaves& leaves, Index first, const NormGradientsOf<float>& to) {
  const Index lanes = x.cols - first < 16 * P ? x.cols - first - 16 * (P - 1) : 16;  // of the last group
  f32x16 gammas[kMaxPartialSums][P], betas[kMaxPartialSums][P];
  int top = 0;
  for (Index leaf = 0; leaf < leaves.count; ++leaf, ++top) {
    f32x16 gamma[P], beta[P];
    for (int p = 0; p < P; ++p) gamma[p] = beta[p] = f32x16::zero();
    for (Index t = leaves.first[leaf].begin; t < leaves.first[leaf].end; ++t) {
      const f32x16 mean = f32x16::broadcast(moments.row(t)[0]),
                   inverse = f32x16::broadcast(moments.row(t)[1]);
      for (int p = 0; p < P; ++p) {
        const Index c = first + 16 * p, n = p < P - 1 ? 16 : lanes;
        const f32x16 cotangent = load(dy.row(t) + c, n);
        gamma[p] = fma(cotangent, (load(x.row(t) + c, n) - mean) * inverse, gamma[p]);
        beta[p] = beta[p] + cotangent;
      }
    }
    for (int merge = 0; merge < leaves.first[leaf].merges; ++merge) {
      --top;
      for (int p = 0; p < P; ++p) {
        gamma[p] = gammas[top][p] + gamma[p];
        beta[p] = betas[top][p] + beta[p];
      }
    }
    for (int p = 0; p < P; ++p) {
      gammas[top][p] = gamma[p];
      betas[top][p] = beta[p];
    }
  }
  for (int p = 0; p < P; ++p) {
    const Index c = first + 16 * p, n = p < P - 1 ? 16 : lanes;
    const f32x16 gamma = top > 0 ? gammas[0][p] : f32x16::zero(),
                 beta = top > 0 ? betas[0][p] : f32x16::zero();
    store(to.accumulate ? load(to.dgamma + c, n) + gamma : gamma, to.dgamma + c, n);
    if (to.dbeta) store(to.accumulate ? load(to.dbeta + c, n) + beta : beta, to.dbeta + c, n);
  }
}

void backward_parameters(MatrixOf<const float> x, MatrixOf<const float> moments, MatrixOf<const float> dy,
                         const Leaves& leaves, Index first, const NormGradientsOf<float>& to) {
  if (x.cols - first > 16) {
    parameter_columns<2>(x, moments, dy, leaves, first, to);
  } else {
    parameter_columns<1>(x, moments, dy, leaves, first, to);
  }
}

}  // namespace

extern const NormTable norm_functions;
const NormTable norm_functions{forward, backward_input, backward, backward_parameters};

}  // namespace headwater::kernels::HEADWATER_ISA
