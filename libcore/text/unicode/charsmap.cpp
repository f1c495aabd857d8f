#include "text/unicode/charsmap.hpp"

#include "support/error.hpp"
#include "support/utf8.hpp"

namespace headwater {
namespace {

std::uint32_t little_endian_32(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value |= std::uint32_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  return value;
}

// The parts of a unit.
constexpr bool has_value(std::uint32_t unit) { return (unit >> 8 & 1) != 0; }
constexpr std::uint32_t entry_of(std::uint32_t unit) { return unit & 0x7FFFFFFF; }
constexpr std::uint32_t label_of(std::uint32_t unit) { return unit & 0x800000FF; }
constexpr std::uint32_t offset_of(std::uint32_t unit) { return (unit >> 10) << ((unit & 0x200) >> 6); }

}  // namespace

Charsmap::Charsmap(std::string_view bytes) {
  if (bytes.empty()) return;
  if (bytes.size() < 4) throw Error("the charsmap has " + std::to_string(bytes.size()) + " bytes");
  const std::size_t trie_bytes = little_endian_32(bytes, 0);
  bytes.remove_prefix(4);
  if (trie_bytes == 0 || trie_bytes % 4 != 0 || trie_bytes >= bytes.size()) {
    throw Error("the charsmap's trie has " + std::to_string(trie_bytes) + " bytes of " +
                std::to_string(bytes.size()));
  }
  units_.reserve(trie_bytes / 4);
  for (std::size_t at = 0; at < trie_bytes; at += 4) units_.push_back(little_endian_32(bytes, at));
  replacements_ = bytes.substr(trie_bytes);
  if (replacements_.back() != '\0') throw Error("the charsmap's last replacement has no end");
  if (find_invalid_utf8(replacements_) != std::string_view::npos)
    throw Error("the charsmap's replacements are not UTF-8");
  for (unsigned char byte = 0; byte < 128; ++byte) {
    const char one[] = {static_cast<char>(byte), 0};
    bool keeps = longest({one, 1}).length == 0;
    for (unsigned char second = 0; keeps && second < 128; ++second) {
      const char two[] = {static_cast<char>(byte), static_cast<char>(second)};
      keeps = !begins({two, 2});
    }
    keeps_[byte] = keeps;
  }
}

template <class Use>
bool Charsmap::walk(std::string_view text, const Use& use) const {
  if (units_.empty()) return false;
  std::size_t at = offset_of(units_[0]);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    at ^= byte;
    if (at >= units_.size()) return false;
    const std::uint32_t unit = units_[at];
    if (label_of(unit) != byte) return false;
    at ^= offset_of(unit);
    if (at >= units_.size()) return false;
    if (has_value(unit) && !use(i + 1, entry_of(units_[at]))) return true;
  }
  return true;
}

bool Charsmap::begins(std::string_view text) const {
  return walk(text, [](std::size_t, std::uint32_t) { return true; });
}

Charsmap::Match Charsmap::match(std::size_t length, std::uint32_t value) const {
  // Not inside a character.
  if (value >= replacements_.size() || (static_cast<unsigned char>(replacements_[value]) & 0xC0) == 0x80)
    return {};
  return {length, std::string_view(replacements_.data() + value)};
}

Charsmap::Match Charsmap::longest(std::string_view text) const {
  Match found;
  walk(text, [&](std::size_t length, std::uint32_t value) {
    if (const Match longer = match(length, value); longer.length > 0) found = longer;
    return true;
  });
  return found;
}

Charsmap::Match Charsmap::shortest(std::string_view text) const {
  Match found;
  walk(text, [&](std::size_t length, std::uint32_t value) {
    found = match(length, value);
    return found.length == 0;
  });
  return found;
}

}  // namespace headwater
