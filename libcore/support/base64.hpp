// Bytes as text (RFC 4648, section 4).
#pragma once

#include <string>
#include <string_view>

namespace headwater {

std::string to_base64(std::string_view bytes);
// Throws Error "what" for anything but what to_base64 gives.
std::string from_base64(std::string_view text);

}  // namespace headwater
