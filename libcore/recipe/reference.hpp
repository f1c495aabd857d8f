// Every key of a recipe as Markdown tables, from the same rows that read it.
#pragma once

#include <string>

#include "recipe/recipe.hpp"

namespace headwater {

// A table a section, one a kind for the section `model`: key, type and default, what may stand there,
// meaning.
std::string recipe_reference(ModelKinds kinds);

}  // namespace headwater
