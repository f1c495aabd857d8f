// The config.json of a published layout and ours, by the rows of the layout.
#pragma once

#include <string>
#include <string_view>

#include "families/layouts/layout.hpp"
#include "recipe/recipe.hpp"
#include "support/json.hpp"

namespace headwater {

// --- Members of any config.json of Hugging Face's library --------------------------------------------------

// A member that may be missing or null: nullptr then.
const Json* member_said(const Json& config, std::string_view name);
// true or false. Throws Error naming the member.
bool truth_of(const Json& config, std::string_view name, bool otherwise);
// A share of dropout and the epsilon of layer norms, each in the range of a recipe's. Throws Error naming the
// member.
double share_of(const Json& config, std::string_view name, double otherwise);
double epsilon_of(const Json& config, std::string_view name, double otherwise);
[[noreturn]] void refuse_member(std::string_view name, const std::string& value, const std::string& expected);

// Why no member "quantization_config" may be there.
inline constexpr std::string_view kWholeNumberWeights = "weights of whole numbers are not read";

// model.activation of the name in that member, and back. Throws Error naming the member and what is known.
std::string activation_of_member(const Json& member, std::string_view name);
std::string member_of_activation(std::string_view activation);

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
