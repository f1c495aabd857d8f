// The SubwordTextEncoder of tensorflow-datasets, which well-known tutorials of translation use
// (libcore/FORMATS.md, .subwords): greedy longest match of subwords in words and what stands between them,
// single bytes for the rest. A subword that ends with _ has the space after the word in it; an underscore of
// the text is written \&undsc.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "text/models/token_model_reader.hpp"
#include "text/tokenizer/token_model.hpp"
#include "text/tokenizer/word_table.hpp"

namespace headwater {

inline constexpr std::string_view kEscapedUnderscore = "\\&undsc";

// The ids of a vocabulary: [PAD], the subwords, 256 bytes as <0x00> to <0xFF>, then [START] and [END], as the
// tutorials number them.
std::vector<std::string> subword_text_encoder_surfaces(const std::vector<std::string>& subwords);

// Cuts a text as the encoder does before it looks for subwords: into runs of letters, digits and underscores
// and runs of anything else, `reserved` strings and \&undsc apart; a single space goes to what stands before
// it.
class SubwordSplitter {
 public:
  SubwordSplitter() : SubwordSplitter(std::vector<std::string>()) {}
  explicit SubwordSplitter(std::vector<std::string> reserved);
  // Replaces what `words` held: they are escaped, and end with _ for a space.
  void split(std::string_view text, std::vector<std::string>& words) const;
  // The same, one by one.
  void for_each_word(std::string_view text, const std::function<void(std::string_view)>& use) const;

 private:
  std::vector<std::string> reserved_;  // the longest first
  std::size_t reserved_length(std::string_view text) const;
  template <class Use>
  void cut(std::string_view text, const Use& use) const;
};

// The longest subword at the start of a word, and \&undsc in any case.
class SubwordMatcher {
 public:
  // Subwords are not empty, and all differ.
  explicit SubwordMatcher(const std::vector<std::string>& subwords);
  struct Match {
    std::size_t bytes = 0;     // of a code point where there is no subword
    std::int32_t number = -1;  // of the subword
  };
  Match longest(std::string_view word) const;

 private:
  WordTable numbers_;
  std::size_t max_code_points_ = 0;
};

class SubwordTextEncoder : public TokenModel {
 public:
  explicit SubwordTextEncoder(const std::vector<std::string>& subwords);
  // The whole text is one piece.
  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override;

 private:
  SubwordSplitter splitter_;
  SubwordMatcher matcher_;
  std::int32_t first_byte_;
};

// The file: "### SubwordTextEncoder", "### Metadata: {}", and a line for each subword, in single quotes.
// Reading throws Error "where:line: what".
inline constexpr std::string_view kSubwordsHeader = "### SubwordTextEncoder";
std::vector<std::string> parse_subwords(std::string_view file, std::string_view where);
std::string subwords_file(const std::vector<std::string>& subwords);

// The encoder as a tokenizer.json: its model is a type of our own, {"type": "SubwordTextEncoder", "subwords":
// [...]}.
std::string subword_text_encoder_json(const std::vector<std::string>& subwords, Json normalizer = nullptr);
// Reads such a model.
ModelOfFile read_subword_text_encoder(const ModelPart& part);
// The subwords of such a file; Error where it is another kind of tokenizer, or normalizes texts.
std::vector<std::string> subwords_of_json(std::string_view json, std::string_view where);

}  // namespace headwater
