// NumPy's format of one array (numpy.lib.format, version 1.0).
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace headwater {

// What stands before the numbers of an array of float32 of this shape, row-major and little-endian.
std::string npy_head(std::span<const std::int64_t> shape);

}  // namespace headwater
