// NumPy's format of one array (numpy.lib.format, version 1.0).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headwater {

// What stands before the numbers of an array of float32 of this shape, row-major and little-endian.
std::string npy_head(std::span<const std::int64_t> shape);

// An array of float32, row-major and little-endian.
struct NpyArray {
  std::vector<std::int64_t> shape;
  std::string_view values;  // of the file's bytes, at any address
};
// Reads versions 1.0 to 3.0. Throws Error "where: what" for what is no such file, and for another array.
NpyArray read_npy(std::string_view bytes, std::string_view where);

}  // namespace headwater
