#include <algorithm>

#include "autograd/ops.hpp"

namespace headwater::ops {

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
  tape.record("additive_attention", [&tape, q, k, values, y, shape, weights, layer = &score] {
    if (!Tape::has_incoming(y)) return;
    // The kernel overwrites; a second contribution goes through a temporary.
    const auto target = [&tape](const GradientSlot& s) {
      return s.accumulate ? tape.temporary(s.matrix.rows, s.matrix.cols) : s.matrix;
    };
    const GradientSlot dq = tape.slot(q), dk = tape.slot(k), dvalues = tape.slot(values);
    const kernels::AdditiveGradients to{.dq = target(dq),
                                        .dk = target(dk),
                                        .dvalues = target(dvalues),
                                        .dscore = tape.temporary(q.rows(), q.cols()),
                                        .dscores = tape.temporary(weights.rows, weights.cols)};
    kernels::additive_attention_backward(q.value(), k.value(), layer->value.data, values.value(), shape,
                                         weights, tape.incoming(y), to);
    for (const auto& [slot, from] : {std::pair{&dq, to.dq}, {&dk, to.dk}, {&dvalues, to.dvalues}}) {
      if (slot->accumulate) kernels::accumulate(from, slot->matrix);
    }
    const Matrix ones = tape.temporary(q.rows(), 1);  // the sum over the queries is a product
    std::fill_n(ones.data, ones.rows, Real(1));
    const Tape::PairSlot dscore = Tape::slot(*layer, nullptr);
    kernels::linear_backward_weight(ones, to.dscore, *q.packing().plan, dscore.weight, nullptr,
                                    dscore.accumulate);
  });
  return {y, weights};
}

}  // namespace headwater::ops
