// What the config.json files of Hugging Face's library have in common, whatever kind of model they describe.
#pragma once

#include <string>
#include <string_view>

#include "support/json.hpp"

namespace headwater {

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

}  // namespace headwater
