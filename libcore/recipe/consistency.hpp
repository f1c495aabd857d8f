// What must hold between the keys of a recipe that are each right by themselves.
#pragma once

#include "recipe/document.hpp"
#include "recipe/recipe.hpp"

namespace headwater {

// `map` is where the values of this variant come from: its places go into the problems.
void check_together(const Recipe& recipe, ModelKinds kinds, const Node& map, Problems& problems);

}  // namespace headwater
