// The recipe of a trained model.
#include "families/model_directory.hpp"
#include "families/recipe_of_model.hpp"
#include "tools/inspect/inspect.hpp"

namespace headwater::inspect {

void write_recipe(const fs::path& path, cli::LineWriter& out) {
  const ModelFolder folder = open_model(path);
  if (folder.has("recipe.yaml")) return out.text(folder.read("recipe.yaml"));
  out.text(std::string("# The model is that of ") + shown(path) +
           (folder.family->task == Task::feature_extraction ? ", under a classifier" : "") +
           "; how it was trained is not known, and what is not of the model has the defaults.\n" +
           print_recipe(recipe_of_model(folder, path)));
}

}  // namespace headwater::inspect
