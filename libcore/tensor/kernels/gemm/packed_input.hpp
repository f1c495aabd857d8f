// The rows of a product with packed weights, as these read them: in floats, or in bytes made once for all
// tasks.
#pragma once

#include <cstdint>
#include <optional>

#include "tensor/kernels/gemm/gemm.hpp"
#include "tensor/kernels/scratch.hpp"

namespace headwater::kernels {

class PackedInput {
 public:
  // For weights like `w`.
  PackedInput(ConstMatrix x, const PackedWeight& w);

  // c = act(x[row, row_end)·w[:, first..] + bias[first..]), as many columns as c has, on one thread; `first`
  // is a multiple of 16, `bias` null or of all columns.
  void multiply(Index row, Index row_end, const PackedWeight& w, const Real* bias, Index first, Matrix c,
                Activation activation = Activation::none) const;

 private:
  ConstMatrix x_;
  std::optional<SharedScratch> bytes_;  // factors, then rows of bytes
};

}  // namespace headwater::kernels
