// Timed steps for comparisons with other programs.
#pragma once

#include <cstdint>
#include <string>

#include "training/trainer.hpp"

namespace headwater {

// Runs `steps` steps in the order of the first epoch and returns lines "name<TAB>value":
// useful_tokens_per_second (tokens read and predicted), milliseconds_a_step, peak_resident_bytes of the
// process.
std::string benchmark_steps(Trainer& trainer, std::int64_t steps);

// What the first steps take, a few of them or two seconds, as such lines: milliseconds_a_step, and minutes,
// those of all steps of the run, without its validation.
std::string time_of_steps(Trainer& trainer);

}  // namespace headwater
