// Every kernel on one page. In the float build they are vectorised for each ISA by the rules of DESIGN.md,
// decision 5 (bits independent of tiles, vector width and threads); in the double build they are the naive
// ones of tensor/naive.hpp.
//
// T tokens of the packed batch, I/O input/output width, D model width, H heads, K head width, V vocabulary.
// "accumulate" adds the finished sum to what is there; otherwise the output is overwritten. Outputs never
// alias inputs unless it says so. All kernels parallelise inside through parallel_for.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "support/random.hpp"
#include "tensor/fold.hpp"
#include "tensor/matrix.hpp"

namespace headwater::kernels {

// --- Which code path runs
// -------------------------------------------------------------------------------------------
enum class Isa { avx512, avx2, portable };
Isa active_isa();         // the widest this CPU has, unless set
bool isa_available(Isa);  // compiled in and supported by this CPU
void set_isa(Isa);        // tests and --isa; throws Error where not available
const char* name_of(Isa);
Isa isa_of_name(std::string_view name);  // throws Error for an unknown name

// --- Dense products
// ----------------------------------------------------------------------------------------------------
enum class Activation { none, relu, gelu, gelu_tanh, silu, tanh, sigmoid };

// y = act(x·w + bias): x [T, I], w [I, O], bias [O] or null, y [T, O]. An element is one fma chain from +0
// over ascending i, then bias, then activation. `pre`, where given, receives x·w + bias (backward of gelu and
// silu needs it).
void linear(ConstMatrix x, ConstMatrix w, const Real* bias, Activation activation, Matrix y, Matrix pre = {});
// Where an output layer's logits lie, from a byte a weight: column c of the weight is scales[c]·(bytes +
// rests) with whole numbers of at most 127 and their rests, whose Euclidean lengths are at most `length` and
// `rest`. Columns in panels of 16, [O/16][I/4][16][4], filled up to whole groups of 64.
struct WeightScreen {
  const std::int8_t* bytes = nullptr;  // null: none
  const Real* scales = nullptr;
  const std::int32_t* starts = nullptr;  // -64 · the sum of a column's bytes
  Real length = 0, rest = 0;
};
// Several products that read the same x, e.g. for the queries, keys and values of attention.
inline constexpr std::size_t kMostProjections = 3;
struct Projection {
  ConstMatrix w;
  const Real* bias;  // or null
  Matrix y;
};
// y = x·w + bias of each, the bits of linear(), in one parallel loop where they are small.
void project(ConstMatrix x, std::span<const Projection> projections);
// A weight [I, O] once more in panels of 16 columns, [O/16][I][16], the last filled up with 0: few rows times
// it read it as it streams from memory. `outputs` may be made smaller: then only the first columns are used.
struct PackedWeight {
  const Real* panels = nullptr;
  Index inputs = 0, outputs = 0;
  WeightScreen screen = {};
};
inline Index packed_size(Index inputs, Index outputs) { return (outputs + 15) / 16 * 16 * inputs; }
PackedWeight pack_weight(ConstMatrix w, Real* to);
// The screen of a packed weight in screen_size() values at `to`; none where the weights are too large, too
// small or not finite.
Index screen_size(Index inputs, Index outputs);
WeightScreen screen_weight(const PackedWeight& w, Real* to);
// The bits of linear().
void linear_packed(ConstMatrix x, const PackedWeight& w, const Real* bias, Activation activation, Matrix y);
// Several of the same rows and inputs at once.
struct PackedProduct {
  PackedWeight w;
  const Real* bias;
  Activation activation;
  Matrix y;
};
void linear_packed(ConstMatrix x, std::span<const PackedProduct> products);
// best[t] = argmax over the columns of x[t]·w + bias that are not in `skip`, the first of equals (where no
// value is above -infinity, the first column): block by block of columns, the logits are never stored. With
// a screen only the logits that may be the largest are computed.
void linear_argmax(ConstMatrix x, const PackedWeight& w, const Real* bias, std::span<const std::int32_t> skip,
                   std::span<std::int32_t> best);
// y = x·wᵀ + bias with w [O, I] (tied output layers): the same chain over ascending i.
void linear_transposed(ConstMatrix x, ConstMatrix w, const Real* bias, Matrix y);
// dx (+)= dy·wᵀ: dy [T, O], w [I, O], dx [T, I]; chain over ascending o.
void linear_backward_input(ConstMatrix dy, ConstMatrix w, Matrix dx, bool accumulate);
// dw (+)= Σ_t x[t]ᵀ dy[t], folded by the plan; db (+)= Σ_t dy[t] likewise (null: not wanted).
void linear_backward_weight(ConstMatrix x, ConstMatrix dy, const FoldPlan& plan, Matrix dw, Real* db,
                            bool accumulate);
// One of the products that read an x: the gradient of its result, its weight, and where its parameters'
// gradients go.
struct LinearGradient {
  ConstMatrix dy, w;
  Matrix dw;
  Real* db;         // or null
  bool accumulate;  // dw and db
};
// dw, db of each as linear_backward_weight() and dx (+)= dy·wᵀ of the first, += of the others one by one as
// linear_backward_input(), with the same bits; small ones in one parallel loop, and one more for folds that
// are cut. dx empty: not wanted. At most kMostProjections.
void linear_backward(ConstMatrix x, std::span<const LinearGradient> gradients, const FoldPlan& plan,
                     Matrix dx, bool accumulate_dx);
// dpre = dy * act'(·). relu, tanh, sigmoid read y; gelu, silu read pre. dpre may alias dy.
void activation_backward(Activation activation, ConstMatrix y, ConstMatrix pre, ConstMatrix dy, Matrix dpre);
// y = act(x), elementwise; may alias.
void activate(Activation activation, ConstMatrix x, Matrix y);

// --- Attention (Vaswani et al. 2017, sec. 3.2; tiles as Dao et al. 2022)
// -------------------------------------------------
struct AttentionShape {
  std::span<const Index> query_offsets;  // first query token of each sequence, then Tq; n + 1 values
  std::span<const Index> key_offsets;    // the same for keys; equal to query_offsets in self-attention
  Index heads = 1, head_width = 1;
  Real scale = 1;          // of the scores, usually 1/sqrt(head_width)
  bool is_causal = false;  // query i of a sequence sees keys 0..i + (key length - query length)
  Index sequences() const { return query_offsets.empty() ? 0 : static_cast<Index>(query_offsets.size()) - 1; }
  Index query_length(Index s) const { return query_offsets[s + 1] - query_offsets[s]; }
  Index key_length(Index s) const { return key_offsets[s + 1] - key_offsets[s]; }
  // Of the weights; element ((first_query + query token) · heads + head) · 2^16 + key position of `stream`.
  Real dropout = 0;
  Index first_query = 0;  // number of the first query token in the global batch
  RandomStream stream = {};
};
// q, out [Tq, H·K]; k, v [Tk, H·K]; head h owns columns [h·K, (h+1)·K). stats [Tq, 2·H]: running maximum m
// and sum l of (query, head) at columns 2h, 2h + 1, kept for backward (may be empty for inference).
void attention(ConstMatrix q, ConstMatrix k, ConstMatrix v, const AttentionShape& shape, Matrix out,
               Matrix stats);
// Overwrites dq, dk, dv.
void attention_backward(ConstMatrix q, ConstMatrix k, ConstMatrix v, ConstMatrix out, ConstMatrix stats,
                        ConstMatrix dout, const AttentionShape& shape, Matrix dq, Matrix dk, Matrix dv);
// Weights of one sequence and head, the same bits that attention() used: weights [query length, key length];
// masked ones are 0.
void attention_weights(ConstMatrix q, ConstMatrix k, const AttentionShape& shape, Index sequence, Index head,
                       Matrix weights);

// Keys and values of sequences that are decoded side by side, a slot each. A head's keys lie in panels of 16:
// component c of key 16·p + lane at keys_of(slot, head)[(p·K + c)·16 + lane]; its values in rows of
// value_width(), filled up with 0.
struct AttentionCache {
  Index heads = 1, head_width = 1;
  Index capacity = 0;  // keys that a slot may hold
  Real* keys = nullptr;
  Real* values = nullptr;

  Index value_width() const { return (head_width + 15) / 16 * 16; }
  Index key_lanes() const { return (capacity + 15) / 16 * 16; }
  Index key_floats(Index slots) const { return slots * heads * key_lanes() * head_width; }
  Index value_floats(Index slots) const { return slots * heads * capacity * value_width(); }
  Real* keys_of(Index slot, Index head) const {
    return keys + (slot * heads + head) * key_lanes() * head_width;
  }
  Real* values_of(Index slot, Index head) const {
    return values + (slot * heads + head) * capacity * value_width();
  }
};
// Row b of keys and values [B, H·K] becomes key positions[b] of slot slots[b]. The positions of a slot are
// given in ascending order without gaps.
void append_to_cache(const AttentionCache& cache, std::span<const Index> slots,
                     std::span<const Index> positions, ConstMatrix keys, ConstMatrix values);
// Query b, out row b [B, H·K]: over the first lengths[b] >= 1 keys of slot slots[b]; the bits of attention().
void attention_over_cache(ConstMatrix q, const AttentionCache& cache, std::span<const Index> slots,
                          std::span<const Index> lengths, Real scale, Matrix out);

// --- Norms
// ------------------------------------------------------------------------------------------------------------------
// y = gamma * (x - mean)/sqrt(variance + epsilon) + beta with x := x + residual where residual is given (then
// `sum`, where given, receives x + residual; it may alias x or residual). moments [T, 2]: mean and
// 1/sqrt(variance + epsilon), for backward. Ba et al. 2016.
void layer_norm(ConstMatrix x, ConstMatrix residual, const Real* gamma, const Real* beta, Real epsilon,
                Matrix sum, Matrix y, Matrix moments);
// dx (+)= ...; dgamma, dbeta (+)= folded by the plan. x is the normalised input (the sum, where there was a
// residual).
void layer_norm_backward(ConstMatrix x, ConstMatrix moments, const Real* gamma, ConstMatrix dy,
                         const FoldPlan& plan, Matrix dx, bool accumulate_dx, Real* dgamma, Real* dbeta,
                         bool accumulate_parameters);

// --- Embedding
// ------------------------------------------------------------------------------------------------------------
// y[t] = table[ids[t]] * scale + positions[position_of[t]] (positions empty: none). Ids are checked before
// they come here.
void embed(std::span<const std::int32_t> ids, ConstMatrix table, Real scale,
           std::span<const std::int32_t> position_of, ConstMatrix positions, Matrix y);
// dtable[row] (+)= scale · Σ over the tokens with ids[t] == row, folded by the plan (leaves without such a
// token are skipped). Only rows that occur are written: with accumulate false they are overwritten and all
// others left as they are. `order` and `starts` are scratch of at least T and rows + 1 values.
void embed_backward(std::span<const std::int32_t> ids, ConstMatrix dy, Real scale, const FoldPlan& plan,
                    Matrix dtable, bool accumulate, std::span<std::int32_t> order,
                    std::span<std::int32_t> starts);

// --- Whole sequences
// ----------------------------------------------------------------------------------------------------------
// One row of y for each sequence: the largest of its rows, column by column (the first of equals), their mean
// (an ascending chain of sums, then divided) or the first of them; 0 for a sequence without tokens. winners
// [sequences·D], null for inference: the row of x that a maximum came from, or -1.
enum class Pooling { max, mean, first };
void pool(Pooling pooling, ConstMatrix x, std::span<const Index> offsets, Matrix y, std::int32_t* winners);
// dx (+)= ...: every row of x gets its share, which is 0 for most.
void pool_backward(Pooling pooling, ConstMatrix dy, std::span<const Index> offsets,
                   const std::int32_t* winners, Matrix dx, bool accumulate);
// y[i] = x[rows[i]]; rows ascending, each at most once.
void take_rows(ConstMatrix x, std::span<const std::int32_t> rows, Matrix y);
// dx[rows[i]] (+)= dy[i]; without `accumulate` the other rows become 0.
void take_rows_backward(ConstMatrix dy, std::span<const std::int32_t> rows, Matrix dx, bool accumulate);
// y (+)= real part of the two-dimensional discrete Fourier transform of each sequence's x [n, D], over tokens
// and width: y[k, l] = Re Σ_t Σ_c x[t, c]·e^(-2πi(tk/n + cl/D)) (Lee-Thorp et al. 2021, sec. 3.2), by fast
// transforms of any length. Linear and symmetric: the backward is the same call on dy.
void fourier_mix(ConstMatrix x, std::span<const Index> offsets, Matrix y, bool accumulate);

// --- Sparse rows: entry e of row s, offsets[s] <= e < offsets[s + 1], is the number values[e] in column
// ids[e]
// ----------------------------------------------------------------------------------------------------------
// y[s] = bias + Σ_e values[e]·w[ids[e]], a chain over ascending e, then the bias: w [I, O], y [rows, O].
void sparse_linear(std::span<const std::int32_t> ids, std::span<const Real> values,
                   std::span<const Index> offsets, ConstMatrix w, const Real* bias, Matrix y);
// dentries[e] = values[e]·dy[s] of its row s: [entries, O]; embed_backward puts them on the rows of w.
void sparse_linear_backward(std::span<const Real> values, std::span<const Index> offsets, ConstMatrix dy,
                            Matrix dentries);

// --- Elementwise
// ----------------------------------------------------------------------------------------------------------
void fill(Matrix y, Real value);
void add(ConstMatrix a, ConstMatrix b, Matrix y);                   // may alias
void accumulate(ConstMatrix x, Matrix y);                           // y += x
void scale(ConstMatrix x, Real factor, Matrix y, bool accumulate);  // y (+)= factor·x; may alias
void copy(ConstMatrix x, Matrix y);
void transpose(ConstMatrix x, Matrix y);  // y[c, r] = x[r, c]
// y (+)= x / (1 - rate) where word(first_element + t·cols + c) >= rate·2^32, else 0. The backward is the same
// call on dy. May alias.
void dropout(ConstMatrix x, Real rate, const RandomStream& stream, std::uint64_t first_element, Matrix y,
             bool accumulate);
// y[row] = softmax(x[row]); may alias.
void softmax(ConstMatrix x, Matrix y);
// dx (+)= y * (dy - sum(dy * y))
void softmax_backward(ConstMatrix y, ConstMatrix dy, Matrix dx, bool accumulate);
// Index of the largest element of each row (the first of equals); `skip` (>= 0) is never chosen.
void argmax(ConstMatrix x, std::span<const std::int32_t> skip, std::span<std::int32_t> best);
// log(sum(exp(row))) of each row.
void log_sum_exp(ConstMatrix x, Real* y);

// --- Loss
// --------------------------------------------------------------------------------------------------------------
struct CrossEntropyTotals {
  // Sum over tokens of -log p(label), natural logarithm (with smoothing as asked for), folded by the plan.
  double loss = 0;
  Index correct = 0;  // tokens whose largest logit is the label's (first of equals)
  Index tokens = 0;
};
// logits = h·w + bias; loss = Σ_t cross_entropy(logits[t], labels[t]) in blocks of rows: h [T, D], w [D, V]
// (is_transposed: w [V, D]). With `dh` given also the gradients of loss_scale · loss: dh overwritten, dw and
// db (+)= by the plan, both alike unless is_transposed. One block [<= 512 rows, V] of logits lives in `block`
// (cross_entropy_block_rows(plan) rows of V values).
struct CrossEntropyGradients {
  Matrix dh;
  Matrix dw;
  Real* db = nullptr;
  bool accumulate_weight = false, accumulate_bias = false;
  Matrix fold_scratch;  // cross_entropy_scratch_rows(plan) x (D·V + V); may be empty where that is 0
};
Index cross_entropy_block_rows(const FoldPlan& plan);
Index cross_entropy_scratch_rows(const FoldPlan& plan);
CrossEntropyTotals linear_cross_entropy(ConstMatrix h, ConstMatrix w, bool is_transposed, const Real* bias,
                                        std::span<const std::int32_t> labels, Real label_smoothing,
                                        Real loss_scale, const FoldPlan& plan, Matrix block,
                                        CrossEntropyGradients* gradients);

// --- Optimizers: one pass over n values; g is read only
// -------------------------------------------------------------------- Optimizer state below 1e-30 in
// magnitude is set to 0. `factor` multiplies the gradient first (clipping; 1: none).
struct RmspropRule {
  float learning_rate, rho, epsilon, factor;
  bool epsilon_inside;
};
void rmsprop(const RmspropRule& rule, Index n, Real* w, Real* v, const Real* g);
// v := rho^times · v exactly as `times` steps with a zero gradient leave it (w does not change then).
void rmsprop_decay(float rho, Index n, Real* v, Index times);
// average += share(t) · (w - average) for the steps t of [begin, end), counted from 1, during which w did not
// change. The share is `least_share`, 1 - decay, and larger in the first steps, so that the first weights are
// soon forgotten: at least 9 / (10 + t).
constexpr float moving_average_share(float least_share, Index t) {
  const float early = 9.0f / static_cast<float>(10 + t);
  return early > least_share ? early : least_share;
}
void moving_average(float least_share, Index n, const Real* w, Real* average, Index begin, Index end);
struct AdamRule {
  float learning_rate, beta_1, beta_2, epsilon, factor;
  float correction_1, correction_2;  // 1 - beta_1^t, 1 - beta_2^t
  bool epsilon_hat;  // epsilon added to the root of the uncorrected second moment (Kingma & Ba 2015, end of
                     // sec. 2)
  float decay;       // AdamW: w -= learning_rate · decay · w before the step; 0: Adam
};
void adam(const AdamRule& rule, Index n, Real* w, Real* m, Real* v, const Real* g);
struct SgdRule {
  float learning_rate, momentum, factor;
};
// m = momentum·m - learning_rate·g; w += m (m may be null where momentum is 0)
void sgd(const SgdRule& rule, Index n, Real* w, Real* m, const Real* g);
// Σ g² in double, blocks of 4,096, folded in a fixed tree.
double sum_of_squares(Index n, const Real* g);
// Index of the first value that is not finite, or -1.
Index find_not_finite(Index n, const Real* x);

}  // namespace headwater::kernels
