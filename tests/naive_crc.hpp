// CRC-32 as of PNG and zip, bit by bit.
#pragma once

#include <cstdint>
#include <string_view>

inline std::uint32_t naive_crc(std::string_view bytes) {
  std::uint32_t c = 0xFFFFFFFF;
  for (const char byte : bytes) {
    c ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? 0xEDB88320 ^ c >> 1 : c >> 1;
  }
  return ~c;
}
