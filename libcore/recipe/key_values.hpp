// A recipe as pairs of a key's path and its value as text, in the order of the rows.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recipe/recipe.hpp"

namespace headwater {

// A member's value as it stands in YAML; nothing where there is none.
std::optional<std::string> print_member(const schema::Member& member);

using KeyValues = std::vector<std::pair<std::string, std::string>>;

// Those that are read with the settings as they are, or all.
enum class WhichKeys { read, all };
KeyValues key_values(Recipe recipe, WhichKeys which);
// Those that are read, without the ones whose value follows from others.
KeyValues chosen_values(const Recipe& recipe);
// The keys of one kind of model that are read.
KeyValues key_values(ModelSettings& settings);

}  // namespace headwater
