// What a model is made of, as tables for reading.
#pragma once

#include <string>

#include "families/family.hpp"

namespace headwater {

// Layers with their output shapes, parameters and FLOPs, and what the letters mean.
std::string layer_table(const ModelDescription& model);
// The parameters of each layer with their shapes, numbers and FLOPs; what a layer does without one of its own
// has a row, too, so that the sums are those of the layers.
std::string matrix_table(const ModelDescription& model);

}  // namespace headwater
