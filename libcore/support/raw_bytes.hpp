// Numbers as files and hashes have them: their bytes, the lowest first, one number after the other.
#pragma once

#include <bit>
#include <cstddef>
#include <span>
#include <string_view>

namespace headwater {

// The bytes of a vector, array or span of numbers, valid as long as these.
template <class Numbers>
std::string_view raw_bytes(const Numbers& numbers) {
  static_assert(std::endian::native == std::endian::little, "files and hashes are of little-endian numbers");
  const std::span<const std::byte> bytes = std::as_bytes(std::span(numbers));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace headwater
