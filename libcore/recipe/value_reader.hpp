// One value of a recipe against the rule of its row.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "recipe/document.hpp"
#include "recipe/schema.hpp"

namespace headwater {

// Sets the member, or adds to `problems` what is wrong, "`name`: what (fix)". A value that is wrong as a
// whole leaves the member as it is.
void read_value(const Node::Entry& entry, const std::string& name, const schema::Rule& rule,
                const schema::Member& to, Problems& problems);

// "a, b, c"
std::string join(const std::vector<std::string_view>& words);

}  // namespace headwater
