// Dense products of activations with weights and their gradients.
// T tokens of the packed batch, I/O input/output width.
#pragma once

#include <span>

#include "tensor/kernels/activation/activation.hpp"
#include "tensor/kernels/gemm/int8.hpp"
#include "tensor/matrix.hpp"
#include "tensor/reduction_tree.hpp"

namespace headwater::kernels {

// y = act(x·w + bias): x [T, I], w [I, O], bias [O] or null, y [T, O]. An element is one fma chain from +0
// over ascending i, then bias, then activation. `slope`, only where keeps_slope(activation), receives
// act'(x·w + bias) if given.
void linear(ConstMatrix x, ConstMatrix w, const Real* bias, Activation activation, Matrix y,
            Matrix slope = {});
// Several products that read the same x, e.g. for the queries, keys and values of attention.
inline constexpr std::size_t kMaxProjections = 3;
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
  const Real* panels = nullptr;  // null: int8 has the weight
  Index inputs = 0, outputs = 0;
  Int8Panels int8 = {};
};
inline Index packed_size(Index inputs, Index outputs) { return (outputs + 15) / 16 * 16 * inputs; }
PackedWeight pack_weight(ConstMatrix w, Real* to);
// The same panels of a weight [O, I], a table that is an output layer too; of some of its rows, where they
// are given.
PackedWeight pack_weight_transposed(ConstMatrix w, Real* to, std::span<const std::int32_t> rows = {});
// The same weight in bytes, in int8_size() values at `to`; they are null where it has no Int8Panels. Rows
// times it are made bytes first, each with the scale of its largest value (dynamic quantization, as in
// CTranslate2's and PyTorch's int8 on CPUs): y is near that of linear(), the same bits on every code path.
PackedWeight quantize_weight(const PackedWeight& w, Real* to);
// The bits of linear(), where w has floats.
void linear_packed(ConstMatrix x, const PackedWeight& w, const Real* bias, Activation activation, Matrix y);
// Several of the same rows and inputs at once.
struct PackedProduct {
  PackedWeight w;
  const Real* bias;
  Activation activation;
  Matrix y;
};
void linear_packed(ConstMatrix x, std::span<const PackedProduct> products);
// y = x·wᵀ + bias with w [O, I] (tied output layers): the same chain over ascending i.
void linear_transposed(ConstMatrix x, ConstMatrix w, const Real* bias, Matrix y);
// dx (+)= dy·wᵀ: dy [T, O], w [I, O], dx [T, I]; chain over ascending o. `undone`: activation_backward() of
// the result as well, with the same bits.
struct UndoneActivation {
  Activation activation = Activation::none;
  ConstMatrix kept = {};  // [T, I]
};
void linear_backward_input(ConstMatrix dy, ConstMatrix w, Matrix dx, bool accumulate,
                           const UndoneActivation& undone = {});
// dw (+)= Σ_t x[t]ᵀ dy[t], reduced by the plan; db (+)= Σ_t dy[t] likewise (null: not wanted).
void linear_backward_weight(ConstMatrix x, ConstMatrix dy, const ReductionTree& plan, Matrix dw, Real* db,
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
// linear_backward_input(), with the same bits; small ones in one parallel loop, and one more for reduces that
// are cut. dx empty: not wanted. At most kMaxProjections, and one with `undone`, the activation that made x.
void linear_backward(ConstMatrix x, std::span<const LinearGradient> gradients, const ReductionTree& plan,
                     Matrix dx, bool accumulate_dx, const UndoneActivation& undone = {});

}  // namespace headwater::kernels
