#pragma once

#include <vector>

#include "gradcheck/checker.hpp"

namespace headwater::gradcheck {

// One row or more for each name in kOperationNames; a row's name is the operation's, then what is special
// about it.
std::vector<Case> op_cases();

}  // namespace headwater::gradcheck
