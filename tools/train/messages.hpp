// What train says of a run on standard error.
#pragma once

#include <cstdint>

#include "recipe/recipe.hpp"
#include "training/objective.hpp"
#include "training/trainer.hpp"

namespace headwater::train {

// The figures of an epoch; shows_reference: also those over padded positions.
void note_epoch(const EpochReport& r, const Objective& objective, bool shows_reference);

// Where the run ends before the learning rate reaches its peak.
void note_long_warmup(const ScheduleSettings& schedule, std::int64_t steps);

}  // namespace headwater::train
