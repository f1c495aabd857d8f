// Numbers, truth values and texts of a recipe, by rules of our own: yaml-cpp reads 010 as 8 and yes as true.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "recipe/document.hpp"

namespace headwater::scalars {

// Each returns an empty text and sets `value`, or returns what is wrong, with the fix.
std::string read(const Node& node, bool& value);
std::string read(const Node& node, std::int64_t& value);
std::string read(const Node& node, std::uint64_t& value);
std::string read(const Node& node, double& value);
std::string read(const Node& node, std::string& value);

// The shortest text that reads back equal: "0.001", "1e-07", "15000".
std::string print(bool value);
std::string print(std::int64_t value);
std::string print(std::uint64_t value);
std::string print(double value);
// In double quotes unless it is a plain word.
std::string print(const std::string& value);

// Empty, or what is wrong with a path that should lie below the data root.
std::string check_path(std::string_view path);

}  // namespace headwater::scalars
