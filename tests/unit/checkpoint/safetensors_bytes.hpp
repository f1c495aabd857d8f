// Safetensors files by hand, right or wrong.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// size (u64, little-endian), header, data
inline std::string framed(std::string_view header, std::string_view data, std::uint64_t size) {
  std::string out;
  for (int shift = 0; shift < 64; shift += 8) out += static_cast<char>(size >> shift & 255);
  return out.append(header).append(data);
}

inline std::string framed(std::string_view header, std::string_view data) {
  return framed(header, data, header.size());
}
