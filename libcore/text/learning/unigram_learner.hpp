// Learning a Unigram vocabulary (Kudo 2018): many candidates, whose probabilities are estimated by
// expectation maximization and of which the least useful are removed until the size is right.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "text/models/unigram.hpp"
#include "text/tokenizer/word_table.hpp"

namespace headwater {

struct UnigramLearnerSettings {
  std::int64_t size = 8000;  // the tokens, special ones and single characters counted
  std::vector<std::string> special_tokens = {
      "<unk>"};  // the first ids; the first of them is the unknown token
  double character_coverage =
      0.9995;  // the share of all characters that those with a piece of their own make
  std::int64_t max_piece_characters = 16;
};

// Pieces in the order of ids: special ones, then by score descending, ties by bytes. The order of the table
// does not matter, nor the number of threads. Throws Error where the size has no room for the characters, or
// nothing was counted; fewer pieces than `size` where the text has no more.
std::vector<UnigramPiece> learn_unigram(const WordTable& counts, const UnigramLearnerSettings& settings);

}  // namespace headwater
