// The weights of a model once more, in the order in which decoding reads them.
#pragma once

#include <unordered_map>

#include "autograd/parameter.hpp"
#include "tensor/kernels/argmax/argmax.hpp"
#include "tensor/kernels/gemm/gemm.hpp"

namespace headwater {

// Of all weights of linear layers, and a screen of `output`, whose best word alone is wanted. They must not
// change while this lives.
class PackedWeights {
 public:
  PackedWeights(const Parameters& parameters, const Parameter& output);
  PackedWeights(const PackedWeights&) = delete;
  PackedWeights& operator=(const PackedWeights&) = delete;

  const kernels::PackedWeight& of(const Parameter& weight) const { return by_parameter_.at(&weight); }

 private:
  FlatArray panels_, screen_;
  std::unordered_map<const Parameter*, kernels::PackedWeight> by_parameter_;
};

}  // namespace headwater
