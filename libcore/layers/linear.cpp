#include "layers/linear.hpp"

namespace headwater {

Linear::Linear(LayerBuilder& builder, const std::string& name, Index inputs, Index outputs,
               ops::Activation activation)
    : Linear(builder, name, {inputs, outputs}, {outputs}, inputs, outputs, static_cast<double>(inputs),
             static_cast<double>(outputs)) {
  activation_ = activation;
}

Linear::Linear(LayerBuilder& builder, const std::string& name, std::vector<Index> weight_shape,
               std::vector<Index> bias_shape, Index inputs, Index outputs, double fan_in, double fan_out)
    : weight_(builder.parameters.declare(name + ".weight", std::move(weight_shape), inputs, outputs,
                                         Initializer::glorot_uniform, fan_in, fan_out)),
      bias_(builder.parameters.declare(name + ".bias", std::move(bias_shape), 1, outputs,
                                       Initializer::zeros)) {}

}  // namespace headwater
