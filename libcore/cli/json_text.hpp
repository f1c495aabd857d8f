// Texts of JSON lines.
#pragma once

#include <string>
#include <string_view>

namespace headwater::cli {

// The member `text` of the object that `line` is; its other members are passed over. `place` is "file:line".
// Throws Error "file:line:column: what" for what is no such object. Memory: the text, and what the longest
// other string takes.
std::string text_of_json(std::string_view line, const std::string& place);

}  // namespace headwater::cli
