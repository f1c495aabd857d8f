// Pieces that stand for single bytes, "<0x00>" to "<0xFF>".
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "support/utf8.hpp"

namespace headwater {

inline std::string byte_surface(unsigned char byte) {
  constexpr const char* kDigits = "0123456789ABCDEF";
  std::string surface = "<0x00>";
  surface[3] = kDigits[byte >> 4];
  surface[4] = kDigits[byte & 15];
  return surface;
}

// -1 where the surface is none of them.
inline int byte_of_surface(std::string_view surface) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  if (surface.size() != 6 || !surface.starts_with("<0x") || surface[5] != '>') return -1;
  const std::size_t high = kDigits.find(surface[3]), low = kDigits.find(surface[4]);
  if (high == kDigits.npos || low == kDigits.npos) return -1;
  return static_cast<int>(high * 16 + low);
}

// The piece of each byte, surfaces being in the order of their ids; -1: there is none.
inline std::array<std::int32_t, 256> byte_piece_ids(std::span<const std::string> surfaces) {
  std::array<std::int32_t, 256> ids;
  ids.fill(-1);
  for (std::size_t id = 0; id < surfaces.size(); ++id) {
    if (const int byte = byte_of_surface(surfaces[id]); byte >= 0) ids[byte] = static_cast<std::int32_t>(id);
  }
  return ids;
}

// Every byte that is part of no well-formed character becomes U+FFFD.
inline void append_bytes_as_utf8(std::string& text, std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t length = utf8_sequence_length(bytes);
    if (length == 0) {
      text += "\xEF\xBF\xBD";
    } else {
      text += bytes.substr(0, length);
    }
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
}

}  // namespace headwater
