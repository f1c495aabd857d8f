// Learning subword tokenizers: which pieces of a text are counted, what is learned from them, and the
// tokenizer.json that comes of it (libcore/FORMATS.md, tokenizers).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "text/learning/tokenizer_learner.hpp"
#include "text/unicode/standardize.hpp"

namespace headwater {

enum class SubwordKind {
  byte_bpe,   // merges of bytes (Radford et al. 2019): every text has a form in tokens, none is unknown
  bpe,        // merges of characters (Sennrich et al. 2016); a space is U+2581 before the word
  wordpiece,  // of words and marks as BERT cuts them (Devlin et al. 2019), from the left, ## inside a word
  unigram,    // the likeliest cut (Kudo 2018); a space is U+2581 before the word
  subword_text_encoder  // of tensorflow-datasets; `size` is its target, and it has start and end beyond it
};

struct SubwordTokenizerSettings {
  SubwordKind kind = SubwordKind::byte_bpe;
  std::int64_t size = 8000;            // the most tokens, special ones counted
  std::int64_t min_frequency = 2;      // of bpe and wordpiece: of a pair that is merged
  double character_coverage = 0.9995;  // of unigram: the share of the text's characters that have a piece
  std::string end_of_word_suffix;      // of bpe: ends words in place of the U+2581 before them ("</w>")
  StandardizeSettings standardize = {.standardize = Standardization::none};
  bool has_start_end = false;
  std::vector<std::string> more_special = {};
  TextTemplate text_template = TextTemplate::none;
};

// Throws UsageError where the size has no room.
TokenizerLearner subword_learner(const SubwordTokenizerSettings& settings);

}  // namespace headwater
