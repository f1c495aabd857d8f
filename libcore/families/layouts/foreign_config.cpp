#include "families/layouts/foreign_config.hpp"

#include "recipe/schema.hpp"
#include "support/error.hpp"

namespace headwater {

namespace {

struct ActivationName {
  std::string_view ours, theirs;
};
// The first name of each is the one that is written.
constexpr ActivationName kActivationNames[] = {{"relu", "relu"},
                                               {"gelu", "gelu"},
                                               {"gelu_tanh", "gelu_new"},
                                               {"gelu_tanh", "gelu_fast"},
                                               {"gelu_tanh", "gelu_pytorch_tanh"},
                                               {"silu", "silu"},
                                               {"silu", "swish"},
                                               {"gelu", "gelu_python"},
                                               {"gelu_tanh", "gelu_python_tanh"}};

}  // namespace

const Json* member_said(const Json& config, std::string_view name) {
  const Json* const member = config.find(name);
  return member == nullptr || member->is_null() ? nullptr : member;
}

bool truth_of(const Json& config, std::string_view name, bool otherwise) {
  const Json* const member = member_said(config, name);
  if (member == nullptr) return otherwise;
  if (!member->is_bool()) throw Error(quote(name) + " is neither true nor false");
  return member->as_bool();
}

double share_of(const Json& config, std::string_view name, double otherwise) {
  const Json* const member = member_said(config, name);
  if (member == nullptr) return otherwise;
  const double share = member->as_number();
  if (!(share >= 0 && share <= schema::kShare.max)) refuse_member(name, member->dump(), "0 to 0.99");
  return share;
}

double epsilon_of(const Json& config, std::string_view name, double otherwise) {
  const Json* const member = member_said(config, name);
  if (member == nullptr) return otherwise;
  const double epsilon = member->as_number();
  if (!(epsilon >= 1e-12 && epsilon <= 0.1)) refuse_member(name, member->dump(), "1e-12 to 0.1");
  return epsilon;
}

void refuse_member(std::string_view name, const std::string& value, const std::string& expected) {
  throw Error(quote(name) + " is " + value + ", expected " + expected);
}

std::string activation_of_member(const Json& member, std::string_view name) {
  const std::string& said = member.as_string();
  std::string known;
  for (const ActivationName& activation : kActivationNames) {
    if (said == activation.theirs) return std::string(activation.ours);
    known += (known.empty() ? "one of " : ", ") + std::string(activation.theirs);
  }
  refuse_member(name, quote(said), known);
}

std::string member_of_activation(std::string_view activation) {
  for (const ActivationName& name : kActivationNames) {
    if (name.ours == activation) return std::string(name.theirs);
  }
  throw Error("model.activation: " + quote(activation) + " has no name there");
}

}  // namespace headwater
