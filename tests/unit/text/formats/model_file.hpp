// The bytes of a .model, as Protocol Buffers has them, for tests.
#pragma once

#include <bit>
#include <string>

#include "text/formats/sentencepiece.hpp"

namespace headwater {

using PieceType = SentencePieceFile::Type;

inline std::string number_bytes(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}
inline std::string number_field(unsigned field, std::uint64_t value) {
  return number_bytes(field << 3) + number_bytes(value);
}
inline std::string block_field(unsigned field, const std::string& bytes) {
  return number_bytes(field << 3 | 2) + number_bytes(bytes.size()) + bytes;
}
inline std::string real_field(unsigned field, float value) {
  std::string out = number_bytes(field << 3 | 5);
  const auto bits = std::bit_cast<std::uint32_t>(value);
  for (int i = 0; i < 4; ++i) out += static_cast<char>(bits >> (8 * i) & 0xFF);
  return out;
}
inline std::string piece_field(const std::string& surface, float score, PieceType type = PieceType::normal) {
  return block_field(
      1, block_field(1, surface) + real_field(2, score) + number_field(3, static_cast<std::uint64_t>(type)));
}

}  // namespace headwater
