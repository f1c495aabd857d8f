// A hash table from short pieces of text to ids, made for many look-ups: pieces of up to 16 bytes lie in
// their slot. Filled once.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "text/tokenizer/word_table.hpp"

namespace headwater {

class PieceTable {
 public:
  // With room for `pieces`.
  explicit PieceTable(std::size_t pieces = 0) {
    std::size_t slots = 64;
    while (slots < 2 * pieces) slots *= 2;
    slots_.resize(slots);
  }

  // The piece's id, or -1.
  std::int32_t find(std::string_view piece) const {
    if (piece.size() > kInlineBytes) {
      const WordTable::Entry* entry = long_.find(piece);
      return entry == nullptr ? -1 : static_cast<std::int32_t>(entry->value);
    }
    const Slot wanted = slot_of(piece);
    for (std::size_t at = wanted.hash() & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[at];
      if (slot.length == wanted.length && slot.head == wanted.head && slot.tail == wanted.tail)
        return slot.id;
      if (slot.length == 0) return -1;
    }
  }

  // `piece` is not empty and not there yet; at most as many as there is room for.
  void add(std::string_view piece, std::int32_t id) {
    if (piece.size() > kInlineBytes) {
      long_.value(piece) = static_cast<std::uint64_t>(id);
      return;
    }
    Slot slot = slot_of(piece);
    slot.id = id;
    std::size_t at = slot.hash() & (slots_.size() - 1);
    while (slots_[at].length != 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = slot;
  }

 private:
  static constexpr std::size_t kInlineBytes = 16;

  // First and last bytes, which may overlap: with the length they say all.
  struct Slot {
    std::uint64_t head = 0, tail = 0;
    std::uint32_t length = 0;  // 0: free
    std::int32_t id = 0;
    std::size_t hash() const {
      constexpr std::uint64_t kFirst = 0x9E3779B97F4A7C15u, kSecond = 0xD6E8FEB86659FD93u;
      const std::uint64_t mixed = (head ^ length) * kFirst + (tail ^ tail >> 29) * kSecond;
      return static_cast<std::size_t>((mixed ^ mixed >> 32) * kFirst >> 32);
    }
  };

  static Slot slot_of(std::string_view piece) {
    const char* const data = piece.data();
    const std::size_t length = piece.size();
    Slot slot;
    slot.length = static_cast<std::uint32_t>(length);
    if (length >= 8) {
      std::memcpy(&slot.head, data, 8);
      std::memcpy(&slot.tail, data + length - 8, 8);
    } else if (length >= 4) {
      std::uint32_t head = 0, tail = 0;
      std::memcpy(&head, data, 4);
      std::memcpy(&tail, data + length - 4, 4);
      slot.head = head | std::uint64_t{tail} << 32;
    } else if (length > 0) {
      const auto byte = [&](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(data[i])}; };
      slot.head = byte(0) | byte(length / 2) << 8 | byte(length - 1) << 16;
    }
    return slot;
  }

  std::vector<Slot> slots_;  // a power of two, at most half used
  WordTable long_;
};

}  // namespace headwater
