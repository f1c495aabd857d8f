#include "layers/packed_weights.hpp"

#include <algorithm>
#include <span>

#include "support/error.hpp"

namespace headwater {

namespace {

// What has one dimension is a bias or a norm's; tables are looked up.
bool is_packed(const Parameter& p, std::string_view beginning) {
  return p.name.starts_with(beginning) && !p.is_table && p.shape.size() > 1 && p.panels != WeightPanels::none;
}

// A matrix [rows, columns], transposed.
std::vector<std::int8_t> transposed(std::span<const std::int8_t> bytes, Index rows, Index columns) {
  std::vector<std::int8_t> to(bytes.size());
  for (Index row = 0, i = 0; row < rows; ++row) {
    for (Index column = 0; column < columns; ++column, ++i) to[column * rows + row] = bytes[i];
  }
  return to;
}

}  // namespace

struct PackedWeights::Weight {
  const Parameter& parameter;
  bool is_transposed;
  Index inputs() const { return is_transposed ? parameter.value.cols : parameter.value.rows; }
  Index outputs() const { return is_transposed ? parameter.value.rows : parameter.value.cols; }
  Index floats() const { return kernels::packed_size(inputs(), outputs()); }
  bool is_in_bytes(ComputeType type) const {
    return type == ComputeType::int8 && parameter.panels == WeightPanels::computed;
  }
  Index size(ComputeType type) const {
    return is_in_bytes(type) ? kernels::int8_size(inputs(), outputs()) : floats();
  }
  static std::vector<Weight> all(const Parameters& parameters, std::string_view beginning) {
    std::vector<Weight> weights;
    for (const auto& p : parameters.all()) {
      if (is_packed(*p, beginning)) weights.push_back({*p, false});
    }
    return weights;
  }
  bool has_bytes() const { return parameter.int8.bytes != nullptr; }
  kernels::PackedWeight pack(Real* to) const {
    return is_transposed ? kernels::pack_weight_transposed(parameter.value, to)
                         : kernels::pack_weight(parameter.value, to);
  }
  kernels::PackedWeight quantize(Real* floats, Real* to) const;
};

kernels::PackedWeight PackedWeights::Weight::quantize(Real* floats, Real* to) const {
  if (has_bytes() && is_transposed) {
    const std::span<const std::int8_t> bytes(parameter.int8.bytes,
                                             static_cast<std::size_t>(parameter.size()));
    return kernels::pack_int8({transposed(bytes, outputs(), inputs()).data(), parameter.int8.scales},
                              inputs(), outputs(), to);
  }
  if (has_bytes()) return kernels::pack_int8(parameter.int8, inputs(), outputs(), to);
  const kernels::PackedWeight quantized = kernels::quantize_weight(pack(floats), to);
  if (quantized.int8.bytes == nullptr) {
    throw Error(
        parameter.name +
        ": cannot be written in bytes: its values are not finite or far from 1, or its inputs more than "
        "32,768 (compute in float32)");
  }
  return quantized;
}

void PackedWeights::pack_all(const std::vector<Weight>& weights, ComputeType type) {
  Index largest = 0;  // that is packed on its way to bytes
  for (const Weight& weight : weights) {
    size_ += weight.size(type);
    if (weight.is_in_bytes(type) && !weight.has_bytes()) largest = std::max(largest, weight.floats());
  }
  panels_ = make_flat_array(size_);
  const FlatArray floats = make_flat_array(largest);
  Real* place = panels_.get();
  for (const Weight& weight : weights) {
    by_parameter_.emplace(&weight.parameter, weight.is_in_bytes(type) ? weight.quantize(floats.get(), place)
                                                                      : weight.pack(place));
    place += weight.size(type);
  }
}

QuantizedWeight quantized(const Parameter& weight) {
  const PackedWeights::Weight w{weight, weight.is_table};
  const FlatArray floats = make_flat_array(w.floats()), panels = make_flat_array(w.size(ComputeType::int8));
  const kernels::PackedWeight packed = w.quantize(floats.get(), panels.get());
  QuantizedWeight result;
  result.bytes.resize(weight.size());
  kernels::unpack_int8(packed, result.bytes.data());
  if (weight.is_table) result.bytes = transposed(result.bytes, w.inputs(), w.outputs());
  result.scales.assign(packed.int8.scales, packed.int8.scales + packed.outputs);
  return result;
}

bool is_computed_in_bytes(const Parameter& parameter, std::string_view beginning) {
  const bool is_bias = parameter.value.rows == 1;  // of attention it has two dimensions, too
  return is_packed(parameter, beginning) && !is_bias && parameter.panels == WeightPanels::computed;
}

PackedWeights::PackedWeights(const Parameters& parameters, std::string_view beginning, ComputeType type) {
  pack_all(Weight::all(parameters, beginning), type);
}

PackedWeights::PackedWeights(const Parameters& parameters, const OutputLayer& output, ComputeType type) {
  std::vector<Weight> weights = Weight::all(parameters, {});
  if (output.is_tied()) weights.push_back({output.weight(), true});  // which is packed apart
  pack_all(weights, type);
  output_.packed = by_parameter_.at(&output.weight());
  if (type == ComputeType::int8) return;
  bounds_ = make_flat_array(kernels::logit_bounds_size(output.inputs(), output.outputs()));
  output_.bounds = kernels::logit_bounds(output_.packed, bounds_.get());
}

}  // namespace headwater
