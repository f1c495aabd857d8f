// Every operation on one page. Each is a kernel pair, a function in ops/<name>.cpp and rows in
// tests/gradcheck/op_cases.cpp.
//
// T tokens of the packed batch, I/O input/output width, D model width, H heads, K head width, V vocabulary.
// Operations take their fold plan from the packing of their first input. Values are in the arena of the tape.
#pragma once

#include <cstdint>
#include <span>

#include "autograd/tape.hpp"
#include "support/random.hpp"
#include "tensor/kernels.hpp"

namespace headwater {

inline constexpr std::string_view kOperationNames[] = {
    "linear",        "attention",     "layer_norm", "add_layer_norm",
    "embed",         "dropout",       "add",        "linear_cross_entropy",
    "add_positions", "prepend_token", "flatten"};

namespace ops {

using kernels::Activation;

// y = act(x·w + b): x [T, I], w [I, O], b [1, O] or null, y [T, O].
// dx = dpre·wᵀ, dw = xᵀ·dpre, db = Σ dpre. Keeps x, and y (relu, tanh, sigmoid) or the pre-activation (gelu,
// silu).
Variable linear(Tape& tape, const Variable& x, Parameter& w, Parameter* b,
                Activation activation = Activation::none);

struct AttentionSettings {
  Index heads = 1;
  bool is_causal = false;
  Real dropout = 0;
  RandomStream stream = {};
};
// y = softmax(q·kᵀ/sqrt(K))·v for each sequence and head (Vaswani et al. 2017, sec. 3.2): q [Tq, H·K], k, v
// [Tk, H·K], y [Tq, H·K]. Keeps q, k, v, y and two numbers a query and head; the weights are computed again
// in backward.
Variable attention(Tape& tape, const Variable& q, const Variable& k, const Variable& v,
                   const AttentionSettings& settings);

// y = gamma * (x - mean)/sqrt(variance + epsilon) + beta over each row (Ba et al. 2016). Keeps x and two
// moments a row.
Variable layer_norm(Tape& tape, const Variable& x, Parameter& gamma, Parameter& beta, Real epsilon);
// y = layer_norm(x + z). Keeps the sum.
Variable add_layer_norm(Tape& tape, const Variable& x, const Variable& z, Parameter& gamma, Parameter& beta,
                        Real epsilon);

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
Variable dropout(Tape& tape, const Variable& x, Real rate, const RandomStream& stream);

Variable add(Tape& tape, const Variable& a, const Variable& b);

// loss = Σ_t cross_entropy(x[t]·w + b, labels[t]): one operation, in blocks of rows; the gradient of
// loss_scale · loss is computed on the way and put on x, w and b when the tape runs backward.
kernels::CrossEntropyTotals linear_cross_entropy(Tape& tape, const Variable& x, Parameter& w, Parameter* b,
                                                 std::span<const std::int32_t> labels, Real label_smoothing,
                                                 Real loss_scale);

}  // namespace ops
}  // namespace headwater
