// The weights of a model once more, in the order in which decoding reads them.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "autograd/parameter.hpp"
#include "layers/output_layer.hpp"
#include "tensor/kernels/argmax/argmax.hpp"
#include "tensor/kernels/gemm/gemm.hpp"

namespace headwater {

// What products with weights are computed in.
enum class ComputeType {
  float32,
  int8  // bytes of weights, by column, times bytes of activations, by row; all else stays float32
};

// Packs the weights of all linear layers; of `output` the best word alone may be wanted. They must not change
// while this lives. Throws Error where a weight cannot be written in bytes.
class PackedWeights {
 public:
  PackedWeights(const Parameters& parameters, const OutputLayer& output, ComputeType type);
  // Without an output layer, of the parameters alone whose names begin so.
  PackedWeights(const Parameters& parameters, std::string_view beginning, ComputeType type);
  PackedWeights(const PackedWeights&) = delete;
  PackedWeights& operator=(const PackedWeights&) = delete;

  const kernels::PackedWeight& of(const Parameter& weight) const { return by_parameter_.at(&weight); }
  const kernels::ArgmaxWeight& output() const { return output_; }
  Index size() const { return size_; }  // in numbers of 32 bits

 private:
  struct Weight;
  void pack_all(const std::vector<Weight>& weights, ComputeType type);

  Index size_ = 0;
  FlatArray panels_, bounds_;
  std::unordered_map<const Parameter*, kernels::PackedWeight> by_parameter_;
  kernels::ArgmaxWeight output_;
};

}  // namespace headwater
