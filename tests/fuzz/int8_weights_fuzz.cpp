// Any bytes as a model.safetensors with weights in bytes: an error that names the file, or parameters that
// products in int8 can be computed with.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "families/quantized_model.hpp"
#include "layers/packed_weights.hpp"
#include "support/error.hpp"

namespace {

using namespace headwater;

void declare(Parameters& parameters) {
  parameters.declare("encoder.map.bias", {3}, 1, 3, Initializer::zeros);
  parameters.declare("encoder.map.weight", {2, 3}, 2, 3, Initializer::zeros);
  parameters.declare("table", {2, 2}, 2, 2, Initializer::zeros)->is_table = true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    Parameters parameters;
    declare(parameters);
    const Safetensors file(bytes, "f");
    map_quantized(file, {"encoder.", true}, parameters);
    const Parameter& weight = *parameters.find("encoder.map.weight");
    const PackedWeights packed(parameters, "encoder.", ComputeType::int8);
    const Real x[] = {1, -1};
    Real y[3];
    kernels::linear_packed(ConstMatrix(x, 1, 2), packed.of(weight), nullptr, kernels::Activation::none,
                           Matrix(y, 1, 3));
    for (Index i = 0; i < 3; ++i) {
      if (!std::isfinite(y[i]) || !std::isfinite(weight.value.data[i])) std::abort();
    }
  } catch (const Error& error) {
    const std::string_view what = error.what();
    if (!what.starts_with("f: ") || what.find('\n') != what.npos) std::abort();
  }
  return 0;
}
