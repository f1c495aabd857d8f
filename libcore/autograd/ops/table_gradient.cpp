#include "autograd/ops/table_gradient.hpp"

#include "tensor/kernels/embedding/embedding.hpp"

namespace headwater::ops {

void add_table_gradient(Tape& tape, std::span<const std::int32_t> ids, ConstMatrix dy, Real scale,
                        const ReductionTree& plan, Parameter& table) {
  if (table.is_frozen) return;
  const std::span<std::int32_t> order(tape.arena().allocate_array<std::int32_t>(dy.rows),
                                      static_cast<std::size_t>(dy.rows));
  const Index rows = table.value.rows;
  const std::span<std::int32_t> starts(tape.arena().allocate_array<std::int32_t>(rows + 1),
                                       static_cast<std::size_t>(rows + 1));
  const std::span<std::uint8_t> is_written(tape.arena().allocate_array<std::uint8_t>(rows),
                                           static_cast<std::size_t>(rows));
  Gradient& gradient = table.next_use();
  const bool accumulate = gradient.begin_rows(ids, is_written);
  kernels::embed_backward(ids, dy, scale, plan, gradient.values, accumulate, order, starts);
}

}  // namespace headwater::ops
