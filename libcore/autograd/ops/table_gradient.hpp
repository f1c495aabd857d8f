// The gradient of a table of which tokens read one row each: shared by the operations that read tables.
#pragma once

#include <cstdint>
#include <span>

#include "autograd/tape.hpp"

namespace headwater::ops {

// dtable[row] += scale · Σ dy[t] over the tokens with ids[t] == row, reduced by the plan. A table may be read
// more than once in a step, and be the weight of a product as well. Nothing is computed for a frozen one.
void add_table_gradient(Tape& tape, std::span<const std::int32_t> ids, ConstMatrix dy, Real scale,
                        const ReductionTree& plan, Parameter& table);

}  // namespace headwater::ops
