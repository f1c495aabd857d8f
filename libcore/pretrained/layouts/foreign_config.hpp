// What the config.json files of Hugging Face's library have in common, whatever kind of model they describe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

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

// The keys of a recipe's model whose values a layout has no word for, to be said all at once.
class UnsayableKeys {
 public:
  explicit UnsayableKeys(std::string_view layout) : layout_(layout) {}
  void add(std::string_view key, std::string value, std::string only);
  // Adds the key where its value is not the only one that can be said.
  void expect(std::string_view key, const std::string& value, const std::string& only);
  void expect(std::string_view key, bool value, bool only);
  // "model.norm is pre, which Marian's layout cannot say (only post; train with that)"; empty: none.
  std::string text() const;

 private:
  struct Key {
    std::string name, value, only;
  };
  std::string layout_;
  std::vector<Key> keys_;
};

// model.activation of the name in that member, and back. Throws Error naming the member and what is known.
std::string activation_of_member(const Json& member, std::string_view name);
std::string member_of_activation(std::string_view activation);

}  // namespace headwater
