// The simpler simple recurrent unit (SSRU, Kim et al. 2019, sec. 3.1): a state of D numbers for each
// sequence, which only its gate and no matrix of the state before changes. T tokens of the packed batch.
#pragma once

#include <span>

#include "tensor/matrix.hpp"

namespace headwater::kernels {

// For each token: f = sigmoid(gate), c' = f*c + (1 - f)*x, h = relu(c'), with c = 0 before the first token of
// each sequence. All are [T, D]; f may be the memory of gate.
void simple_recurrent(std::span<const Index> offsets, ConstMatrix x, ConstMatrix gate, Matrix f, Matrix c,
                      Matrix h);
// One token of each sequence, x [B, D]: row b goes on from row slots[b] of `states`, which then is its c'. f
// is overwritten and may be the memory of gate. The bits of the call above over whole sequences.
void simple_recurrent_step(std::span<const Index> slots, ConstMatrix x, ConstMatrix gate, Matrix f,
                           Matrix states, Matrix h);
// Back through time, from what the forward pass left in f and c. dx and dgate are overwritten.
void simple_recurrent_backward(std::span<const Index> offsets, ConstMatrix x, ConstMatrix f, ConstMatrix c,
                               ConstMatrix dh, Matrix dx, Matrix dgate);

}  // namespace headwater::kernels
