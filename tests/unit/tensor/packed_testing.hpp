// Packed weights for tests, in floats and in bytes.
#pragma once

#include "unit/tensor/kernel_testing.hpp"

namespace headwater::testing {

struct Shape {
  Index rows, inputs, columns;
};

struct Packed {
  std::vector<float> panels, bytes;
  kernels::PackedWeight weight;
  explicit Packed(const Grid<float>& w)
      : panels(static_cast<std::size_t>(kernels::packed_size(w.rows, w.cols)), std::nanf("")),
        bytes(static_cast<std::size_t>(kernels::int8_size(w.rows, w.cols)), std::nanf("")),
        weight(kernels::pack_weight(w.view(), panels.data())) {}
  // Each takes `bytes`.
  kernels::ArgmaxWeight bounded() { return {weight, kernels::logit_bounds(weight, bytes.data())}; }
  kernels::PackedWeight quantized() { return kernels::quantize_weight(weight, bytes.data()); }
};

}  // namespace headwater::testing
