// What a model is made of, as tables for reading.
#pragma once

#include <string>

#include "checkpoint/safetensors.hpp"
#include "pretrained/kind.hpp"

namespace headwater {

// Layers with their output shapes, parameters and FLOPs, and what the letters mean.
std::string layer_table(const ModelDescription& model);
// The tensors of a model with their shapes, numbers, and their shares of all numbers.
std::string matrix_table(const Safetensors& weights);

}  // namespace headwater
