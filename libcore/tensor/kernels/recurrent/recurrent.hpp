// Recurrent cells: a state for each sequence, token after token. T tokens of the packed batch, H the width of
// a state, G gates: 4 of an LSTM, 3 of a GRU.
#pragma once

#include <optional>
#include <span>

#include "tensor/kernels/gemm/gemm.hpp"
#include "tensor/matrix.hpp"

namespace headwater::kernels {

// A step from x[t] = a and the state before, h (of an LSTM also c). Columns of a, w and b are gate after
// gate.
//
// lstm (Hochreiter & Schmidhuber 1997, Gers et al. 2000) has the gates i, f, g, o.
//   i = sigmoid(a_i + h·w_i), f and o likewise, g = tanh(a_g + h·w_g)
//   c' = f*c + i*g, h' = o*tanh(c')
//
// gru (Cho et al. 2014, the reset gate after the product) has the gates z, r, n.
//   z = sigmoid(a_z + h·w_z + b_z), r likewise, n = tanh(a_n + r*(h·w_n + b_n))
//   h' = z*h + (1 - z)*n
//
// gru_reset_before is as in the paper, without b: n = tanh(a_n + (r*h)·w_n).
enum class Cell { lstm, gru, gru_reset_before };

inline Index gates_of(Cell cell) { return cell == Cell::lstm ? 4 : 3; }
// Numbers of a state: h, and c after it.
inline Index state_size(Cell cell, Index H) { return cell == Cell::lstm ? 2 * H : H; }

template <class T>
struct RecurrenceOf {
  Cell cell = Cell::lstm;
  bool is_backward = false;        // from the last token of each sequence to the first
  std::span<const Index> offsets;  // of the sequences, as of a packing
  MatrixOf<const T> w;             // [H, G·H]
  const T* b = nullptr;            // [G·H] or null
  MatrixOf<const T> initial = {};  // [sequences, state_size] before the first token; empty: 0

  Index width() const { return w.rows; }
  Index sequences() const { return static_cast<Index>(offsets.size()) - 1; }
  Index length(Index s) const { return offsets[s + 1] - offsets[s]; }
  // The token of sequence s that is read at step `step`.
  Index token(Index s, Index step) const {
    const std::size_t at = s;
    return is_backward ? offsets[at + 1] - 1 - step : offsets[at] + step;
  }
};
using Recurrence = RecurrenceOf<Real>;

// What backward needs of each token: its gates (may be the memory of x), and in `inner` [T, H] the c' of an
// lstm, h·w_n + b_n of a gru, r*h where the reset is before.
template <class T>
struct RecurrentRecordOf {
  MatrixOf<T> gates = {};  // [T, G·H]
  MatrixOf<T> inner = {};
};
using RecurrentRecord = RecurrentRecordOf<Real>;

// w in panels for the products of single steps (pack_recurrent); whoever takes many short runs of one weight
// packs it once.
struct PackedRecurrent {
  PackedWeight gates;      // all that are of h
  PackedWeight candidate;  // where the reset is before: w_n
};
Index packed_recurrent_size(Cell cell, Index H);
PackedRecurrent pack_recurrent(Cell cell, ConstMatrix w, Real* to);
// The same of w that is in panels of floats as a whole; none where a panel has columns of both products.
std::optional<PackedRecurrent> split_panels(Cell cell, const PackedWeight& w);

// y[t] = h' of each token: x [T, G·H], y [T, H]. A step is one product for all sequences that still have a
// token; each row of it is a chain of its own, so that a sequence alone has the bits that it has in a batch,
// and token by token those of one run. `record` may be empty. `final`, where given, receives the states after
// the last tokens [sequences, state_size] and may be the initial ones.
void recurrent(const Recurrence& recurrence, ConstMatrix x, Matrix y, const RecurrentRecord& record,
               Matrix final = {}, const PackedRecurrent* packed = nullptr);

template <class T>
struct RecurrentGradientsOf {
  MatrixOf<T> dx;             // [T, G·H], overwritten
  MatrixOf<T> dproduct = {};  // gru: of h·w_n + b_n [T, H]; that of the other gates is dx
  MatrixOf<T> dinitial = {};  // [sequences, state_size], overwritten; empty: not wanted
};
using RecurrentGradients = RecurrentGradientsOf<Real>;
// Back through time. The gradient of h is summed from the right: dy, then dproducts·wᵀ (a chain over
// ascending columns of w), then what flows past the products of a gru.
void recurrent_backward(const Recurrence& recurrence, ConstMatrix y, const RecurrentRecord& record,
                        ConstMatrix dy, const RecurrentGradients& gradients);

// h before each token [T, H], which the gradient of w is summed with.
void previous_states(const Recurrence& recurrence, ConstMatrix y, Matrix previous);

}  // namespace headwater::kernels
