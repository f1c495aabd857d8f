// What a Tokenizer holds; for tokenizer.cpp and tokenizer_reader.cpp only.
#pragma once

#include <optional>

#include "text/added_tokens.hpp"
#include "text/decoder.hpp"
#include "text/normalizer.hpp"
#include "text/post_processor.hpp"
#include "text/pre_tokenizer.hpp"
#include "text/sentencepiece.hpp"
#include "text/token_model.hpp"
#include "text/tokenizer.hpp"
#include "text/vocabulary.hpp"
#include "text/words.hpp"

namespace headwater {

struct Tokenizer::Impl {
  Vocabulary vocabulary;
  std::int32_t pad_id = -1, unknown_id = -1, start_id = -1, end_id = -1;

  // Our own standardisation and splitting run natively; any other as the parts stand in the file.
  bool is_native = false;
  StandardizeSettings standardize;
  SplitKind split = SplitKind::word;
  ByteMap map{};
  std::shared_ptr<const TokenModel> model;
  std::optional<SentencePiece> sentencepiece;       // all but the model, where it is one
  std::unique_ptr<const TextEncoder> text_encoder;  // of all parts, or none
  // Added tokens that are found before and after normalisation.
  AddedTokens added, added_normalized;
  Normalizer normalizer;
  PreTokenizer pre_tokenizer;
  PostProcessor post_processor;

  // Of a foreign file; our own do without:
  std::optional<Decoder> decoder;
  // Between the tokens of decoded text, and before an unknown one, of which nobody knows whether a space was
  // there.
  std::string separator = " ", unknown_separator = " ";
  bool drops_first_space = false;
  std::string hash, json;
  std::vector<std::string> warnings;
};

}  // namespace headwater
