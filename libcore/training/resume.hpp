// Going on with a run that is there: what may have changed, and whether its state can be one of this run.
#pragma once

#include <cstdint>
#include <functional>

#include "recipe/recipe.hpp"
#include "training/batches.hpp"
#include "training/run_directory.hpp"
#include "training/schedule.hpp"
#include "training/state.hpp"

namespace headwater {

// Takes up a run whose length or checkpoints have changed since its newest checkpoint. Throws UsageError
// where it would not end with the bits of a run that had been asked for this length from the start.
void accept_changes(TrainingState& state, const Recipe& recipe, const RunDirectory& directory,
                    const RunLength& length);

// Throws Error where the step, epoch and position of a checkpoint do not belong together. `batches` gives
// those of an epoch, counted from 0.
void check_resumed_state(const TrainingState& state, const Recipe& recipe, const RunDirectory& directory,
                         const RunLength& length,
                         const std::function<EpochBatches(std::int64_t epoch)>& batches);

}  // namespace headwater
