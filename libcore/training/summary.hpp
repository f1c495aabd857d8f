// What a run says about itself before it starts. What it says when it has ended: reports/run_report.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "recipe/recipe.hpp"
#include "training/trainer.hpp"

namespace headwater {

// Lines "name<TAB>value": examples, steps, parameters, bytes of parameters, optimizer state and of a step's
// arena.
std::string describe_run(const Recipe& recipe, const Parameters& parameters, const Trainer& trainer,
                         std::size_t arena_bytes);

// For comparisons with other programs. Runs `steps` steps in the order of the first epoch and returns lines
// "name<TAB>value": useful_tokens_per_second (tokens read and predicted), milliseconds_a_step,
// peak_resident_bytes of the process.
std::string benchmark_steps(Trainer& trainer, std::int64_t steps);

// What the first steps take, a few of them or two seconds, as such lines: milliseconds_a_step, and minutes,
// those of all steps of the run, without its validation.
std::string time_of_steps(Trainer& trainer);

}  // namespace headwater
