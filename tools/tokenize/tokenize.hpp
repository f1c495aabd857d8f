// What the ways of tokenize share: learn.cpp, convert.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/lines.hpp"
#include "families/tokenizer_files.hpp"
#include "support/files.hpp"
#include "text/learning/subword_learner.hpp"
#include "text/learning/tokenizer_learner.hpp"

namespace headwater::tokenize {

struct Options {
  std::vector<std::string> texts;
  fs::path tokenizer, output, recipe, counts;
  std::string side = "source", scale = "full";
  std::vector<std::string> csv_columns;  // of the recipe
  TokenizerToLearn learn;                // the defaults of recipes are those of the tool
  fs::path taken_from;                   // a model whose tokenizer a recipe takes: nothing is learned
  bool is_learning = false, is_merging = false;
  std::string show = "tokens";  // or text
  bool is_decoding = false, is_checking = false, has_line_ends = false;
  bool has_sentences = false;     // a line for each sentence, an empty one after each document
  double dropout = 0, alpha = 0;  // random choices, drawn from the seed for each line
  std::uint64_t seed = 1;
  bool is_quiet = false;
  std::vector<std::string> columns;  // numbers, as typed
  cli::LineReaderSettings reader;
  int threads = 0;
};

// Learns a tokenizer from the text, or from files of counts (--merge), or counts its pieces only (--counts).
void learn(const Options& o);
// Text to token lines, or token lines to text (--decode), or nothing but a look at each line (--check).
void convert(const Options& o);

// Files of counted pieces (libcore/FORMATS.md).
void write_counts(const Options& o, const PieceCounts& counts);
void add_counts(const Options& o, TokenizerLearner& learner);

// A kind of tokenizers that --learn knows: what it is, and which options it reads.
struct Kind {
  std::string_view name;
  const SubwordKind* subword = nullptr;  // of words and characters none
  bool splits_punctuation = false, has_min_frequency = false, has_coverage = false, has_suffix = false,
       has_special = true;
};

const Kind& find_kind(std::string_view name);  // which is known
// The names of all, or of those that have something.
std::vector<std::string> learned_kinds(bool Kind::*has = nullptr);

}  // namespace headwater::tokenize
