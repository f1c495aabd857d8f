// The naive form (tensor/kernels/naive.hpp): softmax(q·kᵀ·scale)·v of one sequence and head after the other.
#pragma once

#include "tensor/kernels/attention/attention.hpp"
#include "tensor/kernels/naive.hpp"

namespace headwater::naive {

// Query i of sequence s sees the keys from the first visible one on that are among the first visible_keys.
Index first_visible_key(const kernels::AttentionShape& shape, Index s, Index i);
Index visible_keys(const kernels::AttentionShape& shape, Index s, Index i);

void attention(ConstMatrix q, ConstMatrix k, ConstMatrix v, const kernels::AttentionShape& shape, Matrix out,
               Matrix stats);
void attention_backward(ConstMatrix q, ConstMatrix k, ConstMatrix v, ConstMatrix dout,
                        const kernels::AttentionShape& shape, Matrix dq, Matrix dk, Matrix dv);
void attention_weights(ConstMatrix q, ConstMatrix k, const kernels::AttentionShape& shape, Index s,
                       Index head, Matrix weights);

}  // namespace headwater::naive
