// Additive attention (Bahdanau et al. 2015, sec. 3.1): what a query asks and what a key holds meet in a
// hidden layer rather than in a product. Tq, Tk tokens of the queries and of the keys, A width of the hidden
// layer, D width of the values.
#pragma once

#include <span>

#include "tensor/matrix.hpp"

namespace headwater::kernels {

// Which keys the queries see: those of sequence s, rows query_offsets[s] on, the keys key_begins[s] to
// key_ends[s] - 1. Sequences may share keys in inference only.
struct AdditiveShape {
  std::span<const Index> query_offsets;  // n + 1
  std::span<const Index> key_begins, key_ends;
  Index sequences() const { return static_cast<Index>(key_begins.size()); }
  Index keys(Index s) const { return key_ends[s] - key_begins[s]; }
};

// weights[i] is the softmax of Σ_a score[a]·tanh(q[i][a] + k[j][a]) over the keys j of its sequence.
// out[i] = Σ_j weights[i][j]·values[j]; a query without keys gives 0. Shapes: q [Tq, A], k [Tk, A],
// score [A], values [Tk, D], out [Tq, D], weights [Tq, most keys of a sequence]. Only the first numbers of a
// row of weights are written.
void additive_attention(ConstMatrix q, ConstMatrix k, const Real* score, ConstMatrix values,
                        const AdditiveShape& shape, Matrix out, Matrix weights);

// The gradients of additive_attention(). dscore [Tq, A]: the part of each query in the gradient of the
// scores' layer, whose sum is the gradient; dscores [Tq, as weights]: scratch. All are overwritten.
struct AdditiveGradients {
  Matrix dq, dk, dvalues, dscore, dscores;
};
void additive_attention_backward(ConstMatrix q, ConstMatrix k, const Real* score, ConstMatrix values,
                                 const AdditiveShape& shape, ConstMatrix weights, ConstMatrix dout,
                                 const AdditiveGradients& to);

}  // namespace headwater::kernels
