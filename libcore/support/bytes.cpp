#include "support/bytes.hpp"

#include <cstdint>

#include "support/error.hpp"

namespace headwater {

namespace {

constexpr std::string_view kBase64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = bits << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0u);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text += at + i > bytes.size() ? '=' : kBase64Digits[bits >> (18 - 6 * i) & 63];
    }
  }
  return text;
}

std::string from_base64(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  std::size_t digits = 0;
  for (const char c : text) {
    if (c == '=') break;
    const std::size_t digit = kBase64Digits.find(c);
    if (digit == kBase64Digits.npos) throw Error("no base64: a character that is no digit of it");
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if (++digits % 4 == 0) {
      for (int shift = 16; shift >= 0; shift -= 8) bytes += static_cast<char>(bits >> shift & 0xFF);
      bits = 0;
    }
  }
  if (digits % 4 == 1) throw Error("no base64: its length is not that of whole bytes");
  if (digits % 4 == 2) bytes += static_cast<char>(bits >> 4 & 0xFF);
  if (digits % 4 == 3) {
    bytes += static_cast<char>(bits >> 10 & 0xFF);
    bytes += static_cast<char>(bits >> 2 & 0xFF);
  }
  if (to_base64(bytes) != text) throw Error("no base64: bits or marks at its end that do not belong there");
  return bytes;
}

}  // namespace headwater
