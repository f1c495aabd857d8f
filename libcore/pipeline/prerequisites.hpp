// What must be there before a recipe can run: the model of another recipe, data.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recipe/recipe.hpp"
#include "support/files.hpp"

namespace headwater {

// The recipe of ours whose run a model is of: "bert-imdb" of models/recipes/bert-imdb/model. Empty: it is
// none.
std::string maker_of(const fs::path& house, const std::string& model);

// The models that a recipe reads: those that it begins with, whose vectors it reads, or that teach it.
std::vector<std::string> models_of(const Recipe& recipe);

struct RecipeNeeds {
  std::vector<std::string> makers;  // the recipes of ours whose models it reads
  std::vector<std::string> sets;    // whose texts it reads
};
RecipeNeeds needs_of(const fs::path& house, const Recipe& recipe);

// The names of recipes, each with its makers, so that each stands behind its makers.
std::vector<std::string> in_order(
    const std::vector<std::pair<std::string, std::vector<std::string>>>& makers);

// Why the data of a set cannot be had; empty where they can, or are there. Whether a server answers is not
// asked. `mirror`: the folder of a mirror; empty: none is used.
std::string missing_data(const fs::path& house, const std::string& set, const fs::path& data,
                         const fs::path& mirror);

// How long a recipe takes, as its head says; nothing where nobody has measured it.
std::optional<double> minutes_of(const fs::path& recipe);

}  // namespace headwater
