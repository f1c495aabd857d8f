// Rows of numbers in groups of 16 lanes, the unit of every vector width.
#pragma once

#include "tensor/matrix.hpp"

namespace headwater::kernels {

inline Index padded_width(Index width) { return (width + 15) / 16 * 16; }

}  // namespace headwater::kernels
