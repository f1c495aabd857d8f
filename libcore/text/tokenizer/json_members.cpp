#include "text/tokenizer/json_members.hpp"

#include <algorithm>

#include "support/error.hpp"

namespace headwater {

const Json& json_member(const Json& object, std::string_view name, const std::string& where) {
  if (!object.is_object()) throw Error(where + ": expected an object");
  const Json* member = object.find(name);
  if (member == nullptr) throw Error(where + ": no member " + quote(name));
  return *member;
}

const std::string& json_string(const Json& object, std::string_view name, const std::string& where) {
  const Json& member = json_member(object, name, where);
  if (!member.is_string()) throw Error(where + "." + std::string(name) + ": expected a string");
  return member.as_string();
}

bool json_bool(const Json& object, std::string_view name, const std::string& where) {
  const Json& member = json_member(object, name, where);
  if (!member.is_bool()) throw Error(where + "." + std::string(name) + ": expected true or false");
  return member.as_bool();
}

bool json_bool_or(const Json& object, std::string_view name, bool otherwise, const std::string& where) {
  const Json* member = object.find(name);
  return member == nullptr || member->is_null() ? otherwise : json_bool(object, name, where);
}

std::int64_t json_whole_number(const Json& object, std::string_view name, std::int64_t least,
                               std::int64_t most, const std::string& where) {
  const Json& member = json_member(object, name, where);
  if (!member.is_integer() || member.as_integer() < least || member.as_integer() > most) {
    throw Error(where + "." + std::string(name) + ": expected a whole number from " + std::to_string(least) +
                " to " + std::to_string(most));
  }
  return member.as_integer();
}

void check_members(const Json& object, std::initializer_list<std::string_view> known,
                   const std::string& where) {
  if (!object.is_object()) throw Error(where + ": expected an object");
  for (const auto& [name, value] : object.as_object()) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw Error(where + ": unknown member " + quote(name));
  }
}

}  // namespace headwater
