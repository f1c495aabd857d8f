// The WordPiece model (Schuster & Nakajima 2012; Devlin et al. 2019): a word is cut from the left into the
// longest pieces that the vocabulary has; a word that cannot be cut so is unknown as a whole.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "text/models/bert_encoder.hpp"
#include "text/models/piece_trie.hpp"
#include "text/tokenizer/token_model.hpp"

namespace headwater {

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
