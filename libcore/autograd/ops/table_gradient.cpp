#include "autograd/ops/table_gradient.hpp"

#include <algorithm>

#include "tensor/kernels/embedding/embedding.hpp"

namespace headwater::ops {

void add_table_gradient(Tape& tape, std::span<const std::int32_t> ids, ConstMatrix dy, Real scale,
                        const FoldPlan& plan, Parameter& table) {
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
    // A row that is new beside old ones (a table used twice in a step) still has no gradient.
    if (accumulate) std::fill_n(table.gradient.row(row), table.gradient.cols, Real(0));
  }
  std::inplace_merge(table.touched.begin(), table.touched.begin() + static_cast<std::ptrdiff_t>(old_count),
                     table.touched.end());
  kernels::embed_backward(ids, dy, scale, plan, table.gradient, accumulate, order, starts);
}

}  // namespace headwater::ops
