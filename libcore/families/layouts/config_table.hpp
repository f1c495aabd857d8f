// The config.json of a published layout and ours, by the rows of the layout.
#pragma once

#include <string>

#include "families/layouts/layout.hpp"
#include "recipe/recipe.hpp"
#include "support/json.hpp"

namespace headwater {

// Settings as config.json has them, with the sizes that follow from others.
Json settings_json(ModelSection section);

// Our config.json of theirs: what train would have written, but for hashes of vocabularies. Throws Error
// naming the member that is missing, out of range, or says what this program cannot do.
Json our_config(const Layout& layout, const Json& theirs);
// And back, of one in whose way nothing stands.
Json their_config(const Layout& layout, const Json& ours);

// A key of a recipe whose value the layout cannot say.
struct ObstacleKey {
  std::string key, value;  // "positions", "rotary"
  std::string only;        // what can be said: "learned"
};
// All of them. Keys that the layout does not name must have their default: what a new one does is not known
// to other programs.
std::vector<ObstacleKey> obstacles(const Layout& layout, ModelSection section);
// "model.norm is pre, which Marian's layout cannot say (only post; train with that)"; empty: none.
std::string obstacle_text(const Layout& layout, const std::vector<ObstacleKey>& keys);

}  // namespace headwater
