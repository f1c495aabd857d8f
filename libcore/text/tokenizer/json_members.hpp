// Members of JSON objects, checked: what the readers of tokenizer.json share.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "support/json.hpp"

namespace headwater {

// The member `name` of an object, checked; Error "where: what".
const Json& json_member(const Json& object, std::string_view name, const std::string& where);
const std::string& json_string(const Json& object, std::string_view name, const std::string& where);
bool json_bool(const Json& object, std::string_view name, const std::string& where);
// The same where the member may be absent or null.
bool json_bool_or(const Json& object, std::string_view name, bool otherwise, const std::string& where);
// A whole number from `least` to `most`.
std::int64_t json_whole_number(const Json& object, std::string_view name, std::int64_t least,
                               std::int64_t most, const std::string& where);
// Throws Error naming the first member that is none of `known`.
void check_members(const Json& object, std::initializer_list<std::string_view> known,
                   const std::string& where);

}  // namespace headwater
