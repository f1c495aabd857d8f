// The WordPiece model (Schuster & Nakajima 2012; Devlin et al. 2019): a word is cut from the left into the
// longest pieces that the vocabulary has; a word that cannot be cut so is unknown as a whole.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/json.hpp"
#include "text/models/piece_trie.hpp"
#include "text/tokenizer/normalizer.hpp"
#include "text/tokenizer/token_model.hpp"

namespace headwater {

// Whole texts of BERT's files to ids in one loop: BertNormalizer, BertPreTokenizer and WordPiece.
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

struct WordPieceSettings {
  std::int32_t unknown_id = 0;
  std::string prefix = "##";           // of pieces that do not begin a word
  std::uint64_t max_characters = 100;  // of a word; a longer one is unknown
};

// One pass over the bytes of a word, whatever the vocabulary (LinMaxMatch: Song et al. 2021).
class WordPiece : public TokenModel {
 public:
  // surfaces[id], all different; an empty one is no piece.
  WordPiece(const std::vector<std::string>& surfaces, WordPieceSettings settings);

  // Appends the ids of a word, which is not empty.
  void encode(std::string_view word, std::vector<std::int32_t>& ids) const override;
  std::unique_ptr<const FusedEncoder> fused_encoder(const Json& normalizer,
                                                    const Json& pre_tokenizer) const override {
    return BertEncoder::of_parts(normalizer, pre_tokenizer, *this);
  }

 private:
  // Where the match goes on when no child fits, and which pieces are complete then.
  struct Failure {
    PieceTrie::Node to = PieceTrie::kNone;
    std::uint32_t begin = 0, count = 0;  // of pieces_
  };
  void link(const std::vector<PieceTrie::Edge>& edges);

  WordPieceSettings settings_;
  PieceTrie trie_;
  PieceTrie::Node inside_ = PieceTrie::kNone;  // the root of pieces that do not begin a word
  std::vector<Failure> failures_;              // by node
  std::vector<std::int32_t> pieces_;
};

}  // namespace headwater
