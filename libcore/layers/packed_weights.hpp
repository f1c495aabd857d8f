// The weights of a model once more, in the order in which decoding reads them.
#pragma once

#include <cstdint>
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

// A weight in bytes as files hold it.
struct QuantizedWeight {
  std::vector<std::int8_t> bytes;  // [inputs, outputs]; of a table [outputs, inputs], its rows
  std::vector<float> scales;       // [outputs]
};
// The bytes that products in int8 read, of a table those of its rows. Throws Error where it cannot be written
// in bytes.
QuantizedWeight quantized(const Parameter& weight);
// Whether products in int8 read this parameter in bytes, of those alone whose names begin so. An output layer
// that is a table of embeddings is not among them: rows of the table are looked up as floats.
bool is_computed_in_bytes(const Parameter& parameter, std::string_view beginning);

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
  // Null where it is not packed.
  const kernels::PackedWeight* find(const Parameter& weight) const {
    const auto found = by_parameter_.find(&weight);
    return found == by_parameter_.end() ? nullptr : &found->second;
  }
  const kernels::ArgmaxWeight& output() const { return output_; }
  Index size() const { return size_; }  // in numbers of 32 bits

 private:
  friend QuantizedWeight quantized(const Parameter& weight);
  struct Weight;
  void pack_all(const std::vector<Weight>& weights, ComputeType type);

  Index size_ = 0;
  FlatArray panels_, bounds_;
  std::unordered_map<const Parameter*, kernels::PackedWeight> by_parameter_;
  kernels::ArgmaxWeight output_;
};

// The weight that products of a forward pass read instead of the parameter; null: none.
inline const kernels::PackedWeight* packed_weight(const ForwardContext& context, const Parameter& weight) {
  return context.packed != nullptr ? context.packed->find(weight) : nullptr;
}

inline const Real* values_or_null(const Parameter* bias) {
  return bias != nullptr ? bias->value.data : nullptr;
}

}  // namespace headwater
