// Byte-pair encoding (Sennrich et al. 2016): a piece of text is cut into characters or bytes, and neighbours
// are joined in the order of the learned merges. The ids are those of Hugging Face's model "BPE".
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/random.hpp"
#include "text/models/piece_table.hpp"
#include "text/tokenizer/word_table.hpp"

namespace headwater {

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
