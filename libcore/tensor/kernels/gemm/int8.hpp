// Weights in bytes. For products that may be inexact, and for bounds of exact ones.
#pragma once

#include <cstdint>
#include <span>

#include "tensor/matrix.hpp"

namespace headwater::kernels {

struct PackedWeight;

// A weight in bytes as files hold it: column o is scales[o]·bytes, [inputs, outputs], row by row.
struct Int8Weight {
  const std::int8_t* bytes = nullptr;  // null: none
  const float* scales = nullptr;
};

// Column c of a weight is scales[c]·(bytes + rests): whole numbers of at most 127, the largest of the column
// 127 or -127, and rests of at most a half. Columns in panels of 16, [O/16][I/4][16][4], filled up with 0 to
// whole groups of 64.
struct Int8Panels {
  const std::int8_t* bytes = nullptr;  // null: none
  const Real* scales = nullptr;
  const std::int32_t* starts = nullptr;  // -zero_point · the sum of a column's bytes
  double length = 0, rest = 0;           // the largest Euclidean lengths of a column's bytes and of its rests
};
// In int8_size() values at `to`, for rows whose bytes are `zero_point` too large; none where a weight is not
// finite, the largest one of a column is neither 0 nor between 1 / most and most, or inputs are none or more
// than sums of 32 bits hold.
Index int8_size(Index inputs, Index outputs);
Int8Panels int8_panels(const PackedWeight& w, std::int32_t zero_point, float most, Real* to);

// A weight that is in bytes already, of so many inputs and outputs, in int8_size() values at `to`: with the
// bytes and scales that quantize_weight() made, the same panels.
PackedWeight pack_int8(const Int8Weight& w, Index inputs, Index outputs, Real* to);
// The columns `ids` of a weight in bytes, in int8_size() values at `to`.
PackedWeight int8_columns(const PackedWeight& w, std::span<const std::int32_t> ids, Real* to);
// The bytes of a packed weight as Int8Weight has them, inputs · outputs at `to`.
void unpack_int8(const PackedWeight& w, std::int8_t* to);

inline Index int8_steps(Index K) { return (K + 3) / 4; }             // of four inputs
inline Index int8_row_bytes(Index K) { return (K + 15) / 16 * 16; }  // of a row of x

}  // namespace headwater::kernels
