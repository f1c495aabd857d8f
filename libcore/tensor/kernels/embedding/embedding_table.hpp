// Look-ups and their gradients on one thread, once for each vector width.
#pragma once

#include <cstdint>

#include "tensor/matrix.hpp"
#include "tensor/reduction_tree.hpp"

namespace headwater::kernels {

// One row of the table and the tokens (ascending) that look it up.
struct EmbeddingRow {
  MatrixOf<const float> dy;
  const std::int32_t* tokens;
  Index count;  // 1 or more
  float scale;
  float* to;
  bool accumulate;
};
// Tokens that are looked up one after the other; `positions` may be empty.
struct EmbeddingLookup {
  const std::int32_t* ids;
  MatrixOf<const float> table;
  float scale;
  const std::int32_t* position_of;
  MatrixOf<const float> positions;
};
struct EmbeddingTable {
  void (*forward)(const EmbeddingLookup& lookup, MatrixOf<float> y);
  void (*backward)(const EmbeddingRow& row, const Leaves& leaves);
};

}  // namespace headwater::kernels
