// What a tensor holds, in a few numbers.
#pragma once

#include <cstdint>
#include <span>

#include "checkpoint/safetensors.hpp"

namespace headwater {

struct TensorStatistics {
  std::int64_t finite = 0, not_finite = 0;
  double min = 0, max = 0, mean = 0, std = 0;  // of the finite numbers; 0 where there are none
};

// Two passes: mean first, then the root of the mean squared difference from it.
TensorStatistics statistics_of(std::span<const double> numbers);
TensorStatistics statistics_of(const TensorView& tensor);

}  // namespace headwater
