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

// An array, row-major and little-endian.
struct NpyArray {
  std::vector<std::int64_t> shape;
  std::string_view values;  // of the file's bytes, at any address
};
// The numbers of an array that is read: <f4, or single bytes, |i1 or |u1.
enum class NpyType { float32, bytes };
// Reads a file of version 1.0 to 3.0. Throws Error "where: what" if it is none, or holds another type.
NpyArray read_npy(std::string_view bytes, std::string_view where, NpyType type = NpyType::float32);

}  // namespace headwater
