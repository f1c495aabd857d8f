// Learning subword tokenizers: which pieces of a text are counted, what is learned from them, and the
// tokenizer.json that comes of it (libcore/FORMATS.md, tokenizers).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/learning/tokenizer_learner.hpp"
#include "text/unicode/standardize.hpp"

namespace headwater {

struct SubwordTokenizerSettings;

// A kind of subword tokenizer. A new one is a row of subword_learner.cpp.
struct SubwordKind {
  std::string_view name;    // as recipes and tokenize --learn call it
  bool has_unknown = true;  // there is [UNK], for text that has no form in tokens
  // Which settings it reads beside those of all.
  bool has_min_frequency = false, has_coverage = false, has_suffix = false, has_special = true;
  // What of a text is counted. Throws UsageError for settings that do not go with the kind.
  PieceCounter::Count (*counting)(const SubwordTokenizerSettings&);
  // From counts to the text of a tokenizer.json whose first ids are `special`, the user-defined symbols last.
  std::string (*learn)(const SubwordTokenizerSettings&, PieceCounts& counts,
                       const std::vector<std::string>& special);
};
std::span<const SubwordKind> subword_kinds();

struct SubwordTokenizerSettings {
  std::string_view kind = "byte_bpe";
  std::int64_t size = 8000;             // the most tokens, special ones counted
  std::int64_t min_frequency = 2;       // of bpe and wordpiece: of a pair that is merged
  double character_coverage = 0.9995;   // of unigram: the share of the text's characters that have a piece
  std::string end_of_word_suffix = {};  // of bpe: ends words in place of the U+2581 before them ("</w>")
  StandardizeSettings standardize = {.standardize = Standardization::none};
  bool has_start_end = false;
  std::vector<std::string> more_special = {}, user_defined_symbols = {};
  TextTemplate text_template = TextTemplate::none;
};

// Throws UsageError for a kind that is none, settings that it cannot have, and where the size has no room.
TokenizerLearner subword_learner(const SubwordTokenizerSettings& settings);

}  // namespace headwater
