// What a command line sets beside a recipe's file: "training.epochs=3".
#pragma once

#include <string>
#include <vector>

#include "recipe/document.hpp"

namespace headwater {

// As errors call the i-th: "--set training.epochs=3".
std::vector<std::string> names_of_changes(const std::vector<std::string>& changes);

// All of them as one map, like that of a file; the line of a place is the number of the change, from 1. A
// value is YAML of one line. Throws UsageError, or adds to `problems`, what is no KEY=VALUE or sets a key
// twice.
Node parse_changes(const std::vector<std::string>& changes, Problems& problems);

}  // namespace headwater
