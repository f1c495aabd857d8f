// Learning a WordPiece vocabulary as Hugging Face's WordPieceTrainer does: byte-pair merges of characters,
// which have the prefix "##" inside a word.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "text/learning/piece_counts.hpp"

namespace headwater {

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
