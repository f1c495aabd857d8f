#include <algorithm>
#include <cmath>

#include "autograd/ops.hpp"

namespace headwater::ops {

Variable attention(Tape& tape, const Variable& q, const Variable& k, const Variable& v,
                   const AttentionSettings& settings) {
  const Variable y = tape.variable(q.rows(), q.cols(), q.packing_or_null(), true);
  const Index head_width = q.cols() / settings.heads;
  const kernels::AttentionShape shape{.query_offsets = q.packing().offsets,
                                      .key_offsets = k.packing().offsets,
                                      .heads = settings.heads,
                                      .head_width = head_width,
                                      .scale = Real(1) / std::sqrt(static_cast<Real>(head_width)),
                                      .is_causal = settings.is_causal,
                                      .window = settings.window,
                                      .dropout = settings.dropout,
                                      .first_query = q.packing().first_token,
                                      .stream = settings.stream};
  const Matrix stats = tape.is_recording() ? tape.arena().matrix(q.rows(), 2 * settings.heads) : Matrix();
  kernels::attention(q.value(), k.value(), v.value(), shape, y.value(), stats);
  tape.record("attention", y, [&tape, q, k, v, stats, shape](ConstMatrix dy, ConstMatrix kept_y) {
    const Matrix dq = tape.overwritten(q), dk = tape.overwritten(k), dv = tape.overwritten(v);
    kernels::attention_backward(q.value(), k.value(), v.value(), kept_y, stats, dy, shape, dq, dk, dv);
  });
  return y;
}

static Index most_keys(const Packing& keys) {
  Index most = 0;
  for (std::size_t s = 0; s + 1 < keys.offsets.size(); ++s)
    most = std::max(most, keys.offsets[s + 1] - keys.offsets[s]);
  return most;
}

AdditiveAttention additive_attention(Tape& tape, const Variable& q, const Variable& k, Parameter& score,
                                     const Variable& values) {
  const Variable y = tape.variable(q.rows(), values.cols(), q.packing_or_null(), true);
  const std::span<const Index> keys = k.packing().offsets;
  const kernels::AdditiveShape shape{.query_offsets = q.packing().offsets,
                                     .key_begins = keys.first(keys.size() - 1),
                                     .key_ends = keys.subspan(1)};
  const Matrix weights = tape.arena().matrix(q.rows(), most_keys(k.packing()));
  kernels::additive_attention(q.value(), k.value(), score.value.data, values.value(), shape, y.value(),
                              weights);
  tape.record("additive_attention", y, [=, &tape, &score](ConstMatrix dy) {
    const kernels::AdditiveGradients to{.dq = tape.overwritten(q),
                                        .dk = tape.overwritten(k),
                                        .dvalues = tape.overwritten(values),
                                        .dscore = tape.temporary(q.rows(), q.cols()),
                                        .dscores = tape.temporary(weights.rows, weights.cols)};
    kernels::additive_attention_backward(q.value(), k.value(), score.value.data, values.value(), shape,
                                         weights, dy, to);
    const Matrix ones = tape.temporary(q.rows(), 1);  // the sum over the queries is a product
    std::fill_n(ones.data, ones.rows, Real(1));
    const Tape::PairSlot dscore = Tape::slot(score, nullptr);
    kernels::linear_backward_weight(ones, to.dscore, *q.packing().plan, dscore.weight, nullptr,
                                    dscore.accumulate);
  });
  return {y, weights};
}

Variable rotate(Tape& tape, const Variable& x, ConstMatrix table, Use use_of_x) {
  const std::span<const Index> offsets = x.packing().offsets;
  const auto position_of = tape.arena().span<Index>(x.rows());
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    for (Index t = offsets[s]; t < offsets[s + 1]; ++t) position_of[t] = t - offsets[s];
  }
  const Variable y = tape.variable_like(x, use_of_x, x.needs_gradient());
  kernels::rotate(x.value(), position_of, table, kernels::Turn::forth, y.value(), false);
  tape.record("rotate", y, [&tape, x, position_of, table](ConstMatrix dy) {
    const GradientSlot dx = tape.slot(x);
    kernels::rotate(dy, position_of, table, kernels::Turn::back, dx.matrix, dx.accumulate);
  });
  return y;
}

}  // namespace headwater::ops
