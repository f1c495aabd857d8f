// Look-ups of the rows of a table, and sums of its rows with weights (sparse inputs).
#pragma once

#include <cstdint>
#include <span>

#include "tensor/matrix.hpp"
#include "tensor/reduction_tree.hpp"

namespace headwater::kernels {

// y[t] = table[ids[t]] * scale + positions[position_of[t]] (positions empty: none). Ids are checked before
// they come here.
void embed(std::span<const std::int32_t> ids, ConstMatrix table, Real scale,
           std::span<const std::int32_t> position_of, ConstMatrix positions, Matrix y);
// dtable[row] (+)= scale · Σ over the tokens with ids[t] == row, reduced by the plan (leaves without such a
// token are skipped). Only rows that occur are written: with accumulate false they are overwritten and all
// others left as they are. `order` and `starts` are scratch of at least T and rows + 1 values.
void embed_backward(std::span<const std::int32_t> ids, ConstMatrix dy, Real scale, const ReductionTree& plan,
                    Matrix dtable, bool accumulate, std::span<std::int32_t> order,
                    std::span<std::int32_t> starts);

// Sparse rows: entry e of row s, offsets[s] <= e < offsets[s + 1], is the number values[e] in column ids[e].
// y[s] = bias + Σ_e values[e]·w[ids[e]], a chain over ascending e, then the bias: w [I, O], y [rows, O].
void sparse_linear(std::span<const std::int32_t> ids, std::span<const Real> values,
                   std::span<const Index> offsets, ConstMatrix w, const Real* bias, Matrix y);
// dentries[e] = values[e]·dy[s] of its row s: [entries, O]; embed_backward puts them on the rows of w.
void sparse_linear_backward(std::span<const Real> values, std::span<const Index> offsets, ConstMatrix dy,
                            Matrix dentries);

}  // namespace headwater::kernels
