// Every key of a recipe as Markdown tables and as comments in YAML, from the same rows that read it.
#pragma once

#include <string>

#include "recipe/recipe.hpp"

namespace headwater {

// A table a section: key, type and default, what may stand there and what each word does, meaning; of the
// section `model` also which kinds read the key. What differs between kinds names them.
std::string recipe_reference(ModelKinds kinds);

// print_recipe with the same as comments: it reads back equal too.
std::string explain_recipe(const Recipe& recipe, ModelKinds kinds);

}  // namespace headwater
