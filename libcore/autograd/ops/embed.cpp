#include <numeric>

#include "autograd/ops.hpp"
#include "tensor/kernels/embedding/embedding.hpp"

namespace headwater::ops {

namespace {

// dtable[row] += scale · Σ dy[t] over the tokens with ids[t] == row, reduced by the plan. A table may be read
// more than once in a step, and be the weight of a product as well. Nothing is computed for a frozen one.
void add_table_gradient(Tape& tape, std::span<const std::int32_t> ids, ConstMatrix dy, Real scale,
                        const ReductionTree& plan, Parameter& table) {
  if (table.is_frozen) return;
  const auto order = tape.arena().span<std::int32_t>(dy.rows);
  const Index rows = table.value.rows;
  const auto starts = tape.arena().span<std::int32_t>(rows + 1);
  const auto is_written = tape.arena().span<std::uint8_t>(rows);
  Gradient& gradient = table.next_use();
  const bool accumulate = gradient.begin_rows(ids, is_written);
  kernels::embed_backward(ids, dy, scale, plan, gradient.values, accumulate, order, starts);
}

Variable embed_with(Tape& tape, const Packing& packing, std::span<const std::int32_t> ids, Parameter& table,
                    Real scale, std::span<const std::int32_t> position_of, ConstMatrix position_table,
                    Parameter* positions) {
  const Variable y = tape.variable(static_cast<Index>(ids.size()), table.value.cols, &packing, true);
  kernels::embed(ids, table.value, scale, position_of, position_table, y.value());
  tape.record("embed", y, [=, &tape, &packing, &table](ConstMatrix dy) {
    const ReductionTree& plan = *packing.plan;
    add_table_gradient(tape, ids, dy, scale, plan, table);
    if (positions) add_table_gradient(tape, position_of, dy, Real(1), plan, *positions);
  });
  return y;
}

}  // namespace

Variable embed(Tape& tape, const Packing& packing, std::span<const std::int32_t> ids, Parameter& table,
               Real scale, std::span<const std::int32_t> position_of, Parameter* positions) {
  return embed_with(tape, packing, ids, table, scale, position_of,
                    positions ? ConstMatrix(positions->value) : ConstMatrix(), positions);
}

Variable embed(Tape& tape, const Packing& packing, std::span<const std::int32_t> ids, Parameter& table,
               Real scale, std::span<const std::int32_t> position_of, ConstMatrix positions) {
  return embed_with(tape, packing, ids, table, scale, position_of, positions, nullptr);
}

Variable add_positions(Tape& tape, const Variable& x, std::span<const std::int32_t> position_of,
                       Parameter& positions) {
  const Variable y = tape.variable(x.rows(), x.cols(), x.packing_or_null(), true);
  // x is a table that is read in its own order.
  const auto ids = tape.arena().span<std::int32_t>(x.rows());
  std::iota(ids.begin(), ids.end(), 0);
  kernels::embed(ids, x.value(), Real(1), position_of, positions.value, y.value());
  tape.record("add_positions", y, [=, &tape, &positions](Matrix dy) {
    add_table_gradient(tape, position_of, dy, Real(1), *x.packing().plan, positions);
    if (x.needs_gradient()) tape.accumulate(x, dy);
  });
  return y;
}

Variable sparse_linear(Tape& tape, const SparseRows& x, const Packing& rows, Parameter& w, Parameter& b,
                       Activation activation) {
  const Variable y = tape.variable(rows.tokens(), w.value.cols, &rows, true);
  kernels::sparse_linear(x.ids, x.values, x.entries->offsets, w.value, b.value.data, y.value());
  if (activation != Activation::none) kernels::activate(activation, y.value(), y.value());
  tape.record("sparse_linear", y, {activation, y.value()}, [=, &tape, &rows, &w, &b](ConstMatrix dy) {
    // db = Σ_s dy[s]: the gradient of a product whose other factor has no columns.
    const GradientSlot db = Tape::slot(b);
    kernels::linear_backward_weight(dy.columns_between(0, 0), dy, *rows.plan, Matrix(nullptr, 0, dy.cols),
                                    db.matrix.data, db.accumulate);
    const Matrix entries = tape.temporary(x.entries->tokens(), dy.cols);
    kernels::sparse_linear_backward(x.values, x.entries->offsets, dy, entries);
    add_table_gradient(tape, x.ids, entries, 1, *x.entries->plan, w);
  });
  return y;
}

}  // namespace headwater::ops
