// The tree of a document against the rows of schema.hpp: what reading a recipe is made of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "recipe/document.hpp"
#include "recipe/recipe.hpp"
#include "recipe/schema.hpp"

namespace headwater {

// Puts what the map says into `to` and adds to `problems` what is wrong: values, keys that no row has.
// `path`: of the map, empty at the top. `also_known`: a key that may stand there beside those of a recipe.
void read_rows(const Node& map, const std::string& path, ModelKinds kinds, Recipe& to, Problems& problems,
               std::string_view also_known = {});

// One value against the rule of its row: sets the member, or adds to `problems` what is wrong, "`name`: what
// (fix)". A value that is wrong as a whole leaves the member as it is.
void read_value(const Node::Entry& entry, const std::string& name, const schema::Rule& rule,
                const schema::Member& to, Problems& problems);

// What a command line sets beside a recipe's file, "training.epochs=3", as errors call the i-th: "--set
// training.epochs=3".
std::vector<std::string> names_of_changes(const std::vector<std::string>& changes);

// All of them as one map, like that of a file; the line of a place is the number of the change, from 1. A
// value is YAML of one line. Throws UsageError, or adds to `problems`, what is no KEY=VALUE or sets a key
// twice.
Node parse_changes(const std::vector<std::string>& changes, Problems& problems);

// What must hold between the keys of a recipe that are each right by themselves. `map` is where the values of
// this variant come from: its places go into the problems.
void check_together(const Recipe& recipe, ModelKinds kinds, const Node& map, Problems& problems);

}  // namespace headwater
