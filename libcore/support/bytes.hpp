// Bytes of numbers, and bytes as text.
#pragma once

#include <bit>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace headwater {

// RFC 4648, section 4.
std::string to_base64(std::string_view bytes);
// Throws Error "what" for anything but what to_base64 gives.
std::string from_base64(std::string_view text);

// The bytes of a vector, array or span of numbers, as files and hashes have them; valid as long as these.
template <class Numbers>
std::string_view raw_bytes(const Numbers& numbers) {
  static_assert(std::endian::native == std::endian::little, "files and hashes are of little-endian numbers");
  const std::span<const std::byte> bytes = std::as_bytes(std::span(numbers));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace headwater
