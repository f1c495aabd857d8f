// Row-major views of numbers that somebody else owns.
#pragma once

#include <cstdint>
#include <type_traits>

namespace headwater {

#ifdef HEADWATER_DOUBLE
using Real = double;  // gradient checks only
#else
using Real = float;
#endif

using Index = std::int64_t;

// [rows, cols]; row r begins at data + r * stride (stride >= cols).
template <class T>
struct MatrixOf {
  T* data = nullptr;
  Index rows = 0, cols = 0, stride = 0;

  MatrixOf() = default;
  MatrixOf(T* d, Index r, Index c) : data(d), rows(r), cols(c), stride(c) {}
  MatrixOf(T* d, Index r, Index c, Index s) : data(d), rows(r), cols(c), stride(s) {}
  template <class U>
    requires(!std::is_same_v<U, T> && std::is_convertible_v<U*, T*>)
  MatrixOf(const MatrixOf<U>& other)
      : data(other.data), rows(other.rows), cols(other.cols), stride(other.stride) {}

  T* row(Index r) const { return data + r * stride; }
  MatrixOf rows_between(Index begin, Index end) const { return {row(begin), end - begin, cols, stride}; }
  MatrixOf columns_between(Index begin, Index end) const { return {data + begin, rows, end - begin, stride}; }
  explicit operator bool() const { return data != nullptr; }
};

using Matrix = MatrixOf<Real>;
using ConstMatrix = MatrixOf<const Real>;

// In groups of 16 lanes, the unit of every vector width.
inline Index padded_width(Index width) { return (width + 15) / 16 * 16; }

}  // namespace headwater
