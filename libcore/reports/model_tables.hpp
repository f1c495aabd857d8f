// What a model is made of, as tables for reading.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "checkpoint/safetensors.hpp"
#include "families/family.hpp"

namespace headwater {

// Layers with their output shapes, parameters and FLOPs, and what the letters mean.
std::string layer_table(const ModelDescription& model);
// The parameters of each layer with their shapes, numbers and FLOPs; what a layer does without one of its own
// has a row, too, so that the sums are those of the layers.
std::string matrix_table(const ModelDescription& model);

// What a tensor holds, in a few numbers.
struct TensorStatistics {
  std::int64_t finite = 0, not_finite = 0;
  double min = 0, max = 0, mean = 0, std = 0;  // of the finite numbers; 0 where there are none
};

// Two passes: mean first, then the root of the mean squared difference from it.
TensorStatistics statistics_of(std::span<const double> numbers);
TensorStatistics statistics_of(const TensorView& tensor);

}  // namespace headwater
