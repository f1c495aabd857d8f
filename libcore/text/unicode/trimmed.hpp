#pragma once

#include <string_view>

namespace headwater {

// A text without the white space around it, of which a label, say, has none.
std::string_view trimmed(std::string_view text);

}  // namespace headwater
