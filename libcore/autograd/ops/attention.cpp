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

}  // namespace headwater::ops
