#include "autograd/ops.hpp"
#include "autograd/ops/table_gradient.hpp"

namespace headwater::ops {

namespace {

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

}  // namespace headwater::ops
