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
  tape.record("attention", [&tape, q, k, v, y, stats, shape] {
    if (!Tape::has_incoming(y)) return;
    // The kernel overwrites; a second contribution to q, k or v goes through a temporary.
    const auto target = [&tape](const GradientSlot& s) {
      return s.accumulate ? tape.temporary(s.matrix.rows, s.matrix.cols) : s.matrix;
    };
    const GradientSlot dq = tape.slot(q), dk = tape.slot(k), dv = tape.slot(v);
    const Matrix tq = target(dq), tk = target(dk), tv = target(dv);
    kernels::attention_backward(q.value(), k.value(), v.value(), y.value(), stats, tape.incoming(y), shape,
                                tq, tk, tv);
    if (dq.accumulate) kernels::accumulate(tq, dq.matrix);
    if (dk.accumulate) kernels::accumulate(tk, dk.matrix);
    if (dv.accumulate) kernels::accumulate(tv, dv.matrix);
  });
  return y;
}

}  // namespace headwater::ops
