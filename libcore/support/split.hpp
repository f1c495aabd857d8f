// The fields of a line.
#pragma once

#include <string_view>
#include <vector>

namespace headwater {

// The parts between separators, empty ones too; a line without separator is one field. Views of `line`.
std::vector<std::string_view> split(std::string_view line, char separator);

}  // namespace headwater
