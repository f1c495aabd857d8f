// Byte-pair encoding (Sennrich et al. 2016): a piece of text is cut into characters or bytes, and neighbours
// are joined in the order of the learned merges. The ids are those of Hugging Face's model "BPE".
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/random.hpp"
#include "text/tokenizer/word_table.hpp"

namespace headwater {

// A hash table from short pieces of text to ids, made for many look-ups: pieces of up to 16 bytes lie in
// their slot. Filled once.
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

struct BpeSettings {
  std::string continuing_subword_prefix = {};  // of a surface that does not begin a piece
  std::string end_of_word_suffix = {};         // of a surface that ends a piece
  std::int32_t unknown_id = -1;                // of a character that the vocabulary lacks; -1: it is left out
  bool fuse_unknown = false;                   // unknown characters in a row are one token
  // With byte_fallback an unknown character is its bytes <0x00> to <0xFF> where all are there; -1: it is not.
  bool byte_fallback = false;
  std::array<std::int32_t, 256> byte_ids = {};
  bool ignore_merges = false;  // a piece that is in the vocabulary is that token, whatever the merges say
  bool is_byte_level = false;  // pieces are bytes, surfaces are written in byte_level_alphabet()
};

class Bpe {
 public:
  using Merge = std::pair<std::int32_t, std::int32_t>;

  // surfaces[id], all different; an empty one is no token. `merges` are pairs of ids, the first to be applied
  // first. Throws Error "merges[12]: what".
  Bpe(const std::vector<std::string>& surfaces, const std::vector<Merge>& merges, BpeSettings settings);

  // Appends the ids of `piece`.
  void encode(std::string_view piece, std::vector<std::int32_t>& ids) const {
    const std::int32_t whole = whole_.find(piece);
    if (whole >= 0) {
      ids.push_back(whole);
    } else {
      merge_piece(piece, ids);
    }
  }

  // The same where each possible merge is left out with this probability (BPE dropout: Provilkov et al. 2020,
  // algorithm 1), drawn anew before each merge. `at` counts the numbers that were drawn.
  void encode_with_dropout(std::string_view piece, double dropout, const RandomStream& random,
                           std::uint64_t& at, std::vector<std::int32_t>& ids) const;

 private:
  static constexpr std::uint32_t kNoRank = 0xFFFFFFFFu;
  static constexpr std::size_t kShort = 64;  // symbols, from which on a heap finds the next merge

  struct Joined {  // what two symbols become
    std::uint32_t rank;
    std::int32_t id;
  };
  struct Slot {
    std::uint64_t pair = 0;
    Joined joined{kNoRank, -1};  // of a free one
  };

  static std::uint64_t key_of(std::int32_t left, std::int32_t right) {
    return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
  }
  std::size_t slot_of(std::uint64_t pair) const { return (pair * 0x9E3779B97F4A7C15u) >> shift_; }
  Joined joined(std::int32_t left, std::int32_t right) const {
    const std::uint64_t pair = key_of(left, right);
    for (std::size_t at = slot_of(pair);; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at].pair == pair) return slots_[at].joined;  // a free one too
      if (slots_[at].joined.id < 0) return {kNoRank, -1};
    }
  }

  void add_merges(const std::vector<std::string>& surfaces, const std::vector<Merge>& merges,
                  const WordTable& ids);
  void find_symbols(const WordTable& ids);
  void find_whole_pieces(const std::vector<std::string>& surfaces);
  std::int32_t symbol(std::string_view character, bool is_first, bool is_last) const;
  // Appends the ids of the single characters or bytes.
  template <class Add>
  void for_each_symbol(std::string_view piece, const Add& add) const;
  void merge_piece(std::string_view piece, std::vector<std::int32_t>& ids) const;
  // Joins the symbols from `begin` of `ids` on.
  template <class Drop>
  void merge_with_heap(std::vector<std::int32_t>& ids, std::size_t begin, const Drop& drop) const;

  BpeSettings settings_;
  std::vector<Slot> slots_;  // a power of two, at most half used
  int shift_ = 0;
  std::array<std::int32_t, 256> bytes_{};  // the symbols of bytes; of ASCII characters; -1: none
  WordTable symbols_;                      // surfaces of characters, with prefix and suffix
  PieceTable whole_;                       // pieces that are one token
};

}  // namespace headwater
