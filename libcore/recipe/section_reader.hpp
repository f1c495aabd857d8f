// The tree of a document against the rows of schema.hpp.
#pragma once

#include <string>
#include <string_view>

#include "recipe/document.hpp"
#include "recipe/recipe.hpp"

namespace headwater {

// Puts what the map says into `to` and adds to `problems` what is wrong: values, keys that no row has.
// `path`: of the map, empty at the top. `also_known`: a key that may stand there beside those of a recipe.
void read_rows(const Node& map, const std::string& path, ModelKinds kinds, Recipe& to, Problems& problems,
               std::string_view also_known = {});

}  // namespace headwater
