#include <algorithm>

#include "autograd/ops.hpp"

namespace headwater::ops {

namespace {

// Adds the rows in `ids` to the table's list of rows with a gradient, and clears the gradient of rows that
// are new beside old ones (a table used twice in a step).
void scatter(Tape& tape, std::span<const std::int32_t> ids, ConstMatrix dy, Real scale, const FoldPlan& plan,
             Parameter& table) {
  const std::span<std::int32_t> order(tape.arena().allocate_array<std::int32_t>(dy.rows),
                                      static_cast<std::size_t>(dy.rows));
  const Index rows = table.value.rows;
  const std::span<std::int32_t> starts(tape.arena().allocate_array<std::int32_t>(rows + 1),
                                       static_cast<std::size_t>(rows + 1));
  const bool accumulate = table.has_gradient;
  table.has_gradient = true;
  const std::span<std::uint8_t> is_new(tape.arena().allocate_array<std::uint8_t>(rows),
                                       static_cast<std::size_t>(rows));
  std::fill(is_new.begin(), is_new.end(), std::uint8_t{0});
  for (const std::int32_t id : ids) is_new[static_cast<std::size_t>(id)] = 1;
  for (const std::int32_t row : table.touched) is_new[static_cast<std::size_t>(row)] = 0;
  const std::size_t old_count = table.touched.size();
  for (Index row = 0; row < rows; ++row) {
    if (is_new[static_cast<std::size_t>(row)] == 0) continue;
    table.touched.push_back(static_cast<std::int32_t>(row));
    if (accumulate) std::fill_n(table.gradient.row(row), table.gradient.cols, Real(0));
  }
  std::inplace_merge(table.touched.begin(), table.touched.begin() + static_cast<std::ptrdiff_t>(old_count),
                     table.touched.end());
  kernels::embed_backward(ids, dy, scale, plan, table.gradient, accumulate, order, starts);
}

Variable embed_with(Tape& tape, const Packing& packing, std::span<const std::int32_t> ids, Parameter& table,
                    Real scale, std::span<const std::int32_t> position_of, ConstMatrix position_table,
                    Parameter* positions) {
  const Variable y = tape.variable(static_cast<Index>(ids.size()), table.value.cols, &packing, true);
  kernels::embed(ids, table.value, scale, position_of, position_table, y.value());
  tape.record("embed", [&tape, y, ids, position_of, scale, table_ = &table, positions] {
    if (!Tape::has_incoming(y)) return;
    const Matrix& dy = tape.incoming(y);
    const FoldPlan& plan = *y.packing().plan;
    scatter(tape, ids, dy, scale, plan, *table_);
    if (positions) scatter(tape, position_of, dy, Real(1), plan, *positions);
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

}  // namespace headwater::ops
