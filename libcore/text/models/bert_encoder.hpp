// Whole texts of BERT's files to ids in one loop: BertNormalizer, BertPreTokenizer and WordPiece.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/json.hpp"
#include "text/tokenizer/normalizer.hpp"
#include "text/tokenizer/token_model.hpp"

namespace headwater {

class BertEncoder final : public FusedEncoder {
 public:
  // The encoder of these parts of a file, or nullptr where they are others or leave control characters in the
  // text. `model` outlives it.
  static std::unique_ptr<const FusedEncoder> of_parts(const Json& normalizer, const Json& pre_tokenizer,
                                                      const TokenModel& model);
  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override;

 private:
  // What a character becomes: bytes of words, and kCut where a word ends.
  static constexpr char kCut = '\x01';                     // no text has it when it is cleaned
  static constexpr char32_t kFirst = 0x80, kEnd = 0x2600;  // the characters of the table

  BertEncoder(const BertNormalizerSettings& settings, const TokenModel& model);
  struct Outcome {
    std::string text;
    bool is_alone = true;  // what it becomes does not depend on its neighbours
  };
  Outcome outcome(char32_t character) const;  // of a character by itself
  void append(std::string_view outcome, std::string& word, std::vector<std::int32_t>& ids) const;
  // False where what a character becomes depends on its neighbours: then the parts run one after the other.
  bool try_encode(std::string_view text, std::vector<std::int32_t>& ids) const;
  void encode_by_parts(std::string_view text, std::vector<std::int32_t>& ids) const;
  void finish(std::string& word, std::vector<std::int32_t>& ids) const;

  struct Entry {
    std::uint32_t begin = 0;
    std::uint8_t length = 0;
    bool is_alone = true;
  };
  enum class AsciiKind : std::uint8_t { letter, capital, punctuation, space, dropped };

  BertNormalizerSettings settings_;
  const TokenModel& model_;
  std::array<AsciiKind, 128> ascii_{};
  std::vector<Entry> entries_;
  std::string outcomes_;
};

}  // namespace headwater
