// Every operation on one page. Each is a kernel pair, a function in ops/ and rows in
// tests/gradcheck/op_cases.cpp.
//
// T tokens of the packed batch, I/O input/output width, D model width, H heads, K head width, V vocabulary.
// Operations take their reduce plan from the packing of their first input. Values are in the arena of the
// tape.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "autograd/tape.hpp"
#include "support/random.hpp"
#include "tensor/kernels.hpp"

namespace headwater {

inline constexpr std::string_view kOperationNames[] = {"linear",
                                                       "project",
                                                       "attention",
                                                       "norm",
                                                       "add_norm",
                                                       "embed",
                                                       "dropout",
                                                       "add",
                                                       "linear_cross_entropy",
                                                       "linear_transposed",
                                                       "linear_transposed_cross_entropy",
                                                       "add_positions",
                                                       "prepend_token",
                                                       "flatten",
                                                       "pool",
                                                       "take_rows",
                                                       "fourier_mix",
                                                       "mix_tokens",
                                                       "sparse_linear",
                                                       "binary_cross_entropy",
                                                       "rotate",
                                                       "repeat_heads",
                                                       "scale",
                                                       "multiply",
                                                       "interleave_copies",
                                                       "concatenate",
                                                       "depthwise_convolution",
                                                       "additive_attention",
                                                       "recurrent",
                                                       "simple_recurrent"};

namespace ops {

using kernels::Activation;
using kernels::Pooling;

// An operand that is donated is read by nobody else; its memory may become the result's.
using Use = Tape::Use;

// y = act(x·w + b): x [T, I], w [I, O], b [1, O] or null, y [T, O].
// dx = dpre·wᵀ, dw = xᵀ·dpre, db = Σ dpre. Keeps x, and y (relu, tanh, sigmoid) or the slope (gelu,
// gelu_tanh, silu). The activation that made a donated x is undone as dx is computed.
Variable linear(Tape& tape, const Variable& x, Parameter& w, Parameter* b,
                Activation activation = Activation::none, Use use_of_x = Use::keep);

// y[i] = x·w[i] + b[i] for up to three layers that read the same x: the bits of linear() one after the other,
// but one parallel loop forward and one backward. Keeps x.
struct Projection {
  Parameter* weight;  // [I, O]
  Parameter* bias;    // [1, O] or null
};
using Projected = std::array<Variable, kernels::kMaxProjections>;
Projected project(Tape& tape, const Variable& x, std::span<const Projection> projections);

struct AttentionSettings {
  Index heads = 1;
  bool is_causal = false;
  Index window = 0;  // a query sees keys that are less than so far away; 0: all
  Real dropout = 0;
  RandomStream stream = {};
};
// y = softmax(q·kᵀ/sqrt(K))·v for each sequence and head (Vaswani et al. 2017, sec. 3.2): q [Tq, H·K], k, v
// [Tk, H·K], y [Tq, H·K]. Keeps q, k, v, y and two numbers a query and head; the weights are computed again
// in backward.
Variable attention(Tape& tape, const Variable& q, const Variable& k, const Variable& v,
                   const AttentionSettings& settings);

// Queries or keys with rotary positions (Su et al. 2021): x, y [T, H·K], table [N, K] (kernels::rotate); a
// token's position is its place in its sequence. dx is dy turned back. Keeps the positions.
Variable rotate(Tape& tape, const Variable& x, ConstMatrix table, Use use_of_x = Use::keep);

// The columns of x once for each head, side by side: x [T, K], y [T, H·K]. dx is the sum over the heads, the
// first first. Keeps nothing.
Variable repeat_heads(Tape& tape, const Variable& x, Index heads);

// y = gamma * (x - mean)/sqrt(variance + epsilon) + beta over each row (Ba et al. 2016); without centring y =
// gamma * x/sqrt(mean(x²) + epsilon) + beta (Zhang and Sennrich 2019).
struct Norm {
  Parameter* gamma;  // [1, D]
  Parameter* beta;   // [1, D] or null: none
  Real epsilon;
  bool is_centred = true;
};
// Keeps x and two moments a row.
Variable norm(Tape& tape, const Variable& x, const Norm& of);
// y = norm(x + z). Keeps the sum, where possible in the memory of a z that is donated.
Variable add_norm(Tape& tape, const Variable& x, const Variable& z, const Norm& of, Use use_of_z = Use::keep);

// y[t] = table[ids[t]]·scale + positions[position_of[t]]: ids in [0, V), positions null for none. Both
// gradients touch only rows that occur.
Variable embed(Tape& tape, const Packing& packing, std::span<const std::int32_t> ids, Parameter& table,
               Real scale, std::span<const std::int32_t> position_of, Parameter* positions);
// The same with a fixed table of positions [N, D] (sinusoids).
Variable embed(Tape& tape, const Packing& packing, std::span<const std::int32_t> ids, Parameter& table,
               Real scale, std::span<const std::int32_t> position_of, ConstMatrix positions);

// y[t] = x[t] + positions[position_of[t]]: learned positions [N, D] of tokens that no table holds (patches of
// images). The gradient of the table touches only rows that occur.
Variable add_positions(Tape& tape, const Variable& x, std::span<const std::int32_t> position_of,
                       Parameter& positions);
// y: `token` [1, D], then the rows of x, for each sequence; `packing` is that of y, each sequence one longer
// (the class token of Devlin et al. 2019, Dosovitskiy et al. 2021).
Variable prepend_token(Tape& tape, const Variable& x, const Packing& packing, Parameter& token);
// The rows of each sequence side by side: x [S·N, D], y [S, N·D] in the same memory; all sequences are of one
// length, `packing` has one row for each. Throws Error where they are not.
Variable flatten(Tape& tape, const Variable& x, const Packing& packing);

// y = x/(1 - rate) where the counter says keep, else 0. The mask is never stored. rate 0 returns x.
Variable dropout(Tape& tape, const Variable& x, Real rate, const RandomStream& stream,
                 Use use_of_x = Use::keep);

Variable add(Tape& tape, const Variable& a, const Variable& b, Use use_of_b = Use::keep);

// y = factor·x. Keeps nothing.
Variable scale(Tape& tape, const Variable& x, Real factor, Use use_of_x = Use::keep);

// y = a * b, element by element: da = dy * b, db = dy * a. Keeps a and b.
Variable multiply(Tape& tape, const Variable& a, const Variable& b);

// loss = Σ_t cross_entropy(x[t]·w + b, labels[t]): one operation, in blocks of rows; the gradient of
// loss_scale · loss is computed on the way and put on x, w and b when the tape runs backward. With
// `class_weights`, one a column of w, the loss of t counts class_weights[labels[t]] times. With `r_drop` rows
// 2i and 2i + 1 are one token under different dropout, and the divergence of their distributions counts too
// (kernels::linear_cross_entropy; R-Drop, Liang et al. 2021).
kernels::CrossEntropyTotals linear_cross_entropy(Tape& tape, const Variable& x, Parameter& w, Parameter* b,
                                                 std::span<const std::int32_t> labels, Real label_smoothing,
                                                 Real loss_scale, std::span<const Real> class_weights = {},
                                                 Real r_drop = 0);

// The output layer y = x·wᵀ + b, whose table w also embeds tokens (tied weights: Press & Wolf 2017; Vaswani
// et al. 2017, sec. 3.4). Shapes: x [T, D], w [V, D], b [1, V] or null, y [T, V]. Backward: dx = dy·w,
// dw = Σ_t dy[t]ᵀ x[t]. Keeps x.
Variable linear_transposed(Tape& tape, const Variable& x, Parameter& w, Parameter* b);
// The loss of such an output layer, as linear_cross_entropy.
kernels::CrossEntropyTotals linear_transposed_cross_entropy(Tape& tape, const Variable& x, Parameter& w,
                                                            Parameter* b,
                                                            std::span<const std::int32_t> labels,
                                                            Real label_smoothing, Real loss_scale,
                                                            Real r_drop = 0);

// In x [T, D] every sequence stands twice, one copy after the other. In y their rows alternate: row t of the
// first copy, row t of the second, then row t + 1. dx is dy in the old order.
Variable interleave_copies(Tape& tape, const Variable& x);

// One row for each sequence of x: the largest, column by column (the first of equals), the mean, the first or
// the last of its rows. A sequence without tokens has 0. x [T, D], y [sequences, D]. Every sequence of
// `rows`, the packing of y, is one row, so that gradients after it are summed over sequences. Keeps the place
// of each maximum.
Variable pool(Tape& tape, const Variable& x, Pooling pooling, const Packing& rows);

// Some tokens of each sequence: y[i] = x[rows[i]], rows do not descend, `packing` is that of y.
Variable take_rows(Tape& tape, const Variable& x, std::span<const std::int32_t> rows, const Packing& packing);

// The columns of all parts side by side: parts [T, D0], [T, D1], ..., y [T, D0 + D1 + ...]. Keeps nothing.
Variable concatenate(Tape& tape, std::span<const Variable> parts);

// y = real part of the 2-D Fourier transform of each sequence, over its own tokens and the width (FNet,
// Lee-Thorp et al. 2021, sec. 3.2). dx is the same transform of dy. Keeps nothing.
Variable fourier_mix(Tape& tape, const Variable& x);

// What mixes the tokens of a sequence: two layers over the positions, the same for every column.
struct TokenMixer {
  Parameter* inner_weight;       // [N, H]
  Parameter* inner_bias;         // [1, H]
  Parameter* outer_weight;       // [H, N]
  Parameter* outer_bias;         // [1, N]
  const ReductionTree* columns;  // of one sequence of D rows: how a gradient is summed over the columns
  Activation activation = Activation::gelu;
};
// For each sequence of n <= N tokens, x [n, D]: yᵀ = act(xᵀ·W1 + b1)·W2 + b2 with the first n rows of W1 and
// the first n columns of W2 and b2 (MLP-Mixer, Tolstikhin et al. 2021, sec. 2). That is the mixer over N
// tokens whose missing ones are zero rows; nothing is computed for them. A gradient is summed over the
// columns of a sequence, sequence after sequence within each of the 8 shards, shards in a tree. Keeps xᵀ and
// the hidden layer.
Variable mix_tokens(Tape& tape, const Variable& x, const TokenMixer& mixer);

// y[t] = Σ of w[i] * x[neighbour i of t], each column by itself (depthwise convolution, Chollet 2017): x [T,
// D], w [taps, D]. Beyond the ends of a sequence there is nothing. dx is the same with the opposite
// neighbours, dw sums over the tokens as the plan says. Keeps x.
Variable depthwise_convolution(Tape& tape, const Variable& x, const kernels::Neighborhood& neighborhood,
                               Parameter& w);

// What additive attention gives: y, and the weights behind it [Tq, most keys of a sequence], in the arena.
struct AdditiveAttention {
  Variable output;
  Matrix weights;
};
// y[i] = Σ_j weights[i][j]·values[j] over the keys of the sequence. The weights are the softmax of
// score·tanh(q[i] + k[j]) (Bahdanau et al. 2015). Shapes: q [Tq, A], k [Tk, A], score [1, A], values [Tk, D],
// y [Tq, D]. Keeps q, k, values and the weights.
AdditiveAttention additive_attention(Tape& tape, const Variable& q, const Variable& k, Parameter& score,
                                     const Variable& values);

// A recurrent cell over the tokens of each sequence (kernels::Cell has the equations).
struct Recurrent {
  kernels::Cell cell = kernels::Cell::lstm;
  Parameter* w;              // [H, G·H], of the state before; G gates, side by side
  Parameter* b = nullptr;    // [1, G·H] or null: of the same product, of a gru whose reset is after it
  bool is_backward = false;  // from the last token of each sequence to the first
  Variable initial = {};     // [sequences, state_size] before the first token; empty: 0
  Matrix final = {};         // receives those after the last token, where given; no gradient flows into it
};
// y [T, H]: h after each token, of x [T, G·H], a linear map of the tokens with their bias. dw and db are sums
// over the tokens as the plan says. Keeps y, the gates (in the memory of a donated x) and one more row of H
// a token.
Variable recurrent(Tape& tape, const Variable& x, const Recurrent& layer, Use use_of_x = Use::keep);

// h = relu(c) of each token of each sequence, c = f*(c before) + (1 - f)*x, f = sigmoid(gate) (SSRU, Kim et
// al. 2019, sec. 3.1): x and gate [T, D], h [T, D]. `final` [sequences, D] receives c after the last tokens,
// where given; no gradient flows into it. The gate is donated. Keeps x, f and c.
Variable simple_recurrent(Tape& tape, const Variable& x, const Variable& gate, const Matrix& final = {});

// Rows of numbers most of which are 0: entry e of row s is the number values[e] in column ids[e].
struct SparseRows {
  std::span<const std::int32_t> ids;  // in [0, I)
  std::span<const Real> values;
  const Packing* entries;  // which entries belong to which row
};
// y = act(x·w + b) with sparse x [rows, I], w [I, O], b [1, O]. An element is a chain over the entries of its
// row in their order, then b, then the activation (relu, tanh, sigmoid or none). The gradient of w touches
// only the rows that occur. `rows` is the packing of y, one row a sequence. Keeps y.
Variable sparse_linear(Tape& tape, const SparseRows& x, const Packing& rows, Parameter& w, Parameter& b,
                       Activation activation);

// loss = Σ_s of -log(sigmoid(z[s])) where labels[s] is 1, -log(1 - sigmoid(z[s])) where it is 0: z
// [sequences, 1]. The gradient of loss_scale · loss flows into z. Correct is a row whose z is above 0 where
// its label is 1 and only there.
kernels::CrossEntropyTotals binary_cross_entropy(Tape& tape, const Variable& z,
                                                 std::span<const std::int32_t> labels, Real loss_scale,
                                                 std::span<const Real> class_weights = {});

}  // namespace ops
}  // namespace headwater
