// The gradient of a table of which tokens read one row each: shared by the operations that read tables.
#pragma once

#include <cstdint>
#include <span>

#include "autograd/tape.hpp"

namespace headwater::ops {

// dtable[row] += scale · Σ dy[t] over the tokens with ids[t] == row, folded by the plan. A table may be read
// more than once in a step, and be the weight of a product as well.
void add_table_gradient(Tape& tape, std::span<const std::int32_t> ids, ConstMatrix dy, Real scale,
                        const FoldPlan& plan, Parameter& table);

}  // namespace headwater::ops
