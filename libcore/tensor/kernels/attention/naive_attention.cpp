// The double build's kernels.
#ifdef HEADWATER_DOUBLE

#include "tensor/kernels/attention/naive_attention.hpp"

namespace headwater::kernels {

void attention(ConstMatrix q, ConstMatrix k, ConstMatrix v, const AttentionShape& shape, Matrix out,
               Matrix stats) {
  naive::attention<Real>(q, k, v, shape, out, stats);
}
void attention_backward(ConstMatrix q, ConstMatrix k, ConstMatrix v, ConstMatrix, ConstMatrix,
                        ConstMatrix dout, const AttentionShape& shape, Matrix dq, Matrix dk, Matrix dv) {
  naive::attention_backward<Real>(q, k, v, dout, shape, dq, dk, dv);
}
void attention_weights(ConstMatrix q, ConstMatrix k, const AttentionShape& shape, Index sequence, Index head,
                       Matrix weights) {
  naive::attention_weights<Real>(q, k, shape, sequence, head, weights);
}
void append_to_cache(const AttentionCache& cache, std::span<const Index> slots,
                     std::span<const Index> positions, ConstMatrix keys, ConstMatrix values) {
  naive::append_to_cache(cache, slots, positions, keys, values);
}
void attention_over_cache(ConstMatrix q, const AttentionCache& cache, std::span<const Index> slots,
                          std::span<const Index> lengths, Real scale, Matrix out) {
  naive::attention_over_cache(q, cache, slots, lengths, scale, out);
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
