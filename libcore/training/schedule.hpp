// The learning rate, step by step.
#pragma once

#include <cstdint>

#include "recipe/recipe.hpp"

namespace headwater {

struct RunLength {
  std::int64_t steps = 0, steps_per_epoch = 1;
};

// Whether the rate of a step depends on how many the run has.
bool depends_on_length(const ScheduleSettings& schedule);
// Learning rate of step `step` (from 1); `width` is the model's.
double learning_rate(const ScheduleSettings& schedule, const OptimizerSettings& optimizer, std::int64_t width,
                     std::int64_t step, const RunLength& length);

}  // namespace headwater
