#include "layers/packed_weights.hpp"

#include <algorithm>

#include "support/error.hpp"

namespace headwater {

namespace {

struct Weight {
  const Parameter& parameter;
  bool is_transposed;
  Index inputs() const { return is_transposed ? parameter.value.cols : parameter.value.rows; }
  Index outputs() const { return is_transposed ? parameter.value.rows : parameter.value.cols; }
  Index floats() const { return kernels::packed_size(inputs(), outputs()); }
  Index size(ComputeType type) const {
    return type == ComputeType::int8 ? kernels::int8_size(inputs(), outputs()) : floats();
  }
};

// A single row is a bias or a norm's; tables are looked up, and that of a tied output layer is packed apart.
std::vector<Weight> weights_of(const Parameters& parameters, const OutputLayer& output) {
  std::vector<Weight> weights;
  for (const auto& p : parameters.all()) {
    if (!p->is_table && p->value.rows > 1) weights.push_back({*p, false});
  }
  if (output.is_tied()) weights.push_back({output.weight(), true});
  return weights;
}

kernels::PackedWeight pack(const Weight& weight, Real* to) {
  return weight.is_transposed ? kernels::pack_weight_transposed(weight.parameter.value, to)
                              : kernels::pack_weight(weight.parameter.value, to);
}

kernels::PackedWeight quantize(const Weight& weight, Real* floats, Real* to) {
  const kernels::PackedWeight quantized = kernels::quantize_weight(pack(weight, floats), to);
  if (quantized.int8.bytes == nullptr) {
    throw Error(
        weight.parameter.name +
        ": cannot be written in bytes: its values are not finite or far from 1, or its inputs more than "
        "32,768 (compute in float32)");
  }
  return quantized;
}

}  // namespace

PackedWeights::PackedWeights(const Parameters& parameters, const OutputLayer& output, ComputeType type) {
  const std::vector<Weight> weights = weights_of(parameters, output);
  Index largest = 0;  // that is packed on its way to bytes
  for (const Weight& weight : weights) {
    size_ += weight.size(type);
    if (type == ComputeType::int8) largest = std::max(largest, weight.floats());
  }
  panels_ = make_flat_array(size_);
  const FlatArray floats = make_flat_array(largest);
  Real* place = panels_.get();
  for (const Weight& weight : weights) {
    by_parameter_.emplace(&weight.parameter, type == ComputeType::int8 ? quantize(weight, floats.get(), place)
                                                                       : pack(weight, place));
    place += weight.size(type);
  }
  output_.packed = by_parameter_.at(&output.weight());
  if (type == ComputeType::int8) return;
  bounds_ = make_flat_array(kernels::logit_bounds_size(output.inputs(), output.outputs()));
  output_.bounds = kernels::logit_bounds(output_.packed, bounds_.get());
}

}  // namespace headwater
