// Learning the merges of byte-pair encoding (Sennrich et al. 2016) from counted pieces of text.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "text/learning/piece_counts.hpp"

namespace headwater {

struct BpeLearnerSettings {
  std::int64_t size = 8000;         // the most tokens, special ones and single characters counted
  std::uint64_t min_frequency = 1;  // of a pair that is merged
  std::vector<std::string> special_tokens = {};  // the first ids
  std::string continuing_subword_prefix = {}, end_of_word_suffix = {};
  bool is_byte_level = false;  // pieces are bytes, all 256 have a token, surfaces are their characters
  // How many characters, not bytes, are learned: the most frequent, at equal counts the smaller code point;
  // 0: all. The others stay unknown.
  std::int64_t max_characters = 0;
  // How many places of pairs are listed at a time, four bytes each: more takes memory and less time.
  std::uint64_t most_places = std::uint64_t{1} << 25;
};

// No merge makes a longer token. Without a bound the tokens of a line of one letter are as long as the line.
inline constexpr std::size_t kMostTokenBytes = std::size_t{1} << 16;

struct BpeVocabulary {
  std::vector<std::string> surfaces;                          // in the order of ids
  std::vector<std::pair<std::int32_t, std::int32_t>> merges;  // pairs of ids, the first learned first
};

// The ids: special tokens; single characters by code point; those with prefix or suffix by their bytes; then
// what the merges make. Merged is the pair with the highest count, of equal ones that with the smaller ids.
// The order of the pieces does not matter. Throws Error where the size has no room for the characters, or
// nothing was counted.
BpeVocabulary learn_bpe(const PieceCounts& counts, const BpeLearnerSettings& settings);

// Learning a WordPiece vocabulary as Hugging Face's WordPieceTrainer does: byte-pair merges of characters,
// which have the prefix "##" inside a word.
struct WordPieceLearnerSettings {
  std::int64_t size = 8000;         // the most tokens, special ones and single characters counted
  std::uint64_t min_frequency = 1;  // of a pair that is merged
  std::vector<std::string> special_tokens = {"[UNK]"};  // the first ids
  std::string prefix = "##";
};

// Surfaces in the order of ids. The order of the pieces does not matter. Throws Error as learn_bpe does.
std::vector<std::string> learn_word_piece(const PieceCounts& counts,
                                          const WordPieceLearnerSettings& settings);

}  // namespace headwater
