#pragma once

#include <vector>

#include "gradcheck/checker.hpp"

namespace headwater::gradcheck {

// The tokens of the fixture's sequences; all other sizes differ, so a wrong transpose cannot hide.
constexpr Index kTokens = 8, kMemory = 10;

// One row or more for each name in kOperationNames; a row's name is the operation's, then what is special
// about it.
std::vector<Case> op_cases();
// Those among them that end a model: output layers, losses, and tables that are output layers, too.
std::vector<Case> output_layer_cases();

}  // namespace headwater::gradcheck
