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

}  // namespace headwater::ops
