// The recipe of a model that is there.
#pragma once

#include "families/model_directory.hpp"
#include "recipe/recipe.hpp"

namespace headwater {

// For training a model of the same sizes, or one that begins with its weights: that of its run; of a model of
// another program one with the settings of the model and the kind of its tokenizer. `name`: as the folder
// was named.
Recipe recipe_of_model(const ModelFolder& folder, const std::filesystem::path& name);

}  // namespace headwater
