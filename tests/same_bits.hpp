// Whether numbers have the same bits: NaN equals itself, 0 and -0 differ.
#pragma once

#include <cstring>
#include <span>

#include "tensor/matrix.hpp"

inline bool same_bits(std::span<const headwater::Real> a, std::span<const headwater::Real> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

inline bool same_bits(headwater::ConstMatrix a, headwater::ConstMatrix b) {
  if (a.rows != b.rows || a.cols != b.cols) return false;
  const std::size_t cols = a.cols;
  for (headwater::Index r = 0; r < a.rows; ++r)
    if (!same_bits(std::span(a.row(r), cols), std::span(b.row(r), cols))) return false;
  return true;
}
