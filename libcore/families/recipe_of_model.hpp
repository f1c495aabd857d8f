// The recipe of a model that is there.
#pragma once

#include "families/model_directory.hpp"
#include "recipe/recipe.hpp"

namespace headwater {

// For training a model of the same sizes, or one that begins with its weights: that of its run; of a model of
// another program one with the settings of the model and the kind of its tokenizer. `name`: as the folder
// was named.
Recipe recipe_of_model(const ModelFolder& folder, const std::filesystem::path& name);

// read_recipe() of a run that is given the tokenizers and terms of a model, or of the run whose recipe the
// file `model` is. Throws UsageError where the recipe sets them otherwise.
Recipe read_recipe_over_model(const std::filesystem::path& path, const std::filesystem::path& model,
                              std::string_view scale, const std::vector<std::string>& changes);

}  // namespace headwater
