#include <numeric>

#include "autograd/ops.hpp"
#include "autograd/ops/table_gradient.hpp"

namespace headwater::ops {

Variable add_positions(Tape& tape, const Variable& x, std::span<const std::int32_t> position_of,
                       Parameter& positions) {
  const Variable y = tape.variable(x.rows(), x.cols(), x.packing_or_null(), true);
  // x is a table that is read in its own order.
  const std::span<std::int32_t> ids(tape.arena().allocate_array<std::int32_t>(x.rows()),
                                    static_cast<std::size_t>(x.rows()));
  std::iota(ids.begin(), ids.end(), 0);
  kernels::embed(ids, x.value(), Real(1), position_of, positions.value, y.value());
  tape.record("add_positions", y, [=, &tape, &positions](Matrix dy) {
    add_table_gradient(tape, position_of, dy, Real(1), *x.packing().plan, positions);
    if (x.needs_gradient()) tape.accumulate(x, dy);
  });
  return y;
}

}  // namespace headwater::ops
