// What a run says about itself before it starts. What it says when it has ended: reports/run_report.hpp.
#pragma once

#include <cstddef>
#include <string>

#include "recipe/recipe.hpp"
#include "training/trainer.hpp"

namespace headwater {

// Lines "name<TAB>value": examples, steps, parameters, bytes of parameters, optimizer state and of a step's
// arena.
std::string describe_run(const Recipe& recipe, const Parameters& parameters, const Trainer& trainer,
                         std::size_t arena_bytes);

}  // namespace headwater
