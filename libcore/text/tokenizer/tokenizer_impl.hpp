// What a Tokenizer holds; for tokenizer.cpp and tokenizer_reader.cpp only.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "text/formats/sentencepiece.hpp"
#include "text/tokenizer/added_tokens.hpp"
#include "text/tokenizer/decoder.hpp"
#include "text/tokenizer/normalizer.hpp"
#include "text/tokenizer/post_processor.hpp"
#include "text/tokenizer/pre_tokenizer.hpp"
#include "text/tokenizer/token_model.hpp"
#include "text/tokenizer/tokenizer.hpp"
#include "text/tokenizer/vocabulary.hpp"
#include "text/tokenizer/words.hpp"

namespace headwater {

// A value that is made when it is first asked for, from any thread.
template <class T>
class Lazy {
 public:
  template <class Make>
  const T& get(const Make& make) const {
    const std::lock_guard lock(state_->mutex);
    if (!state_->value.has_value()) state_->value.emplace(make());
    return *state_->value;
  }

 private:
  struct State {
    std::mutex mutex;
    std::optional<T> value;
  };
  std::unique_ptr<State> state_ = std::make_unique<State>();
};

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
  Json normalizer_part;               // with a decoder: what the normalizer was read from
  Lazy<Normalizer> plain_normalizer;  // without what the decoder undoes
  PreTokenizer pre_tokenizer;
  PostProcessor post_processor;

  // What foreign files have and our own do without:
  std::optional<Decoder> decoder;
  // Between the tokens of decoded text, and before an unknown one, of which nobody knows whether a space was
  // there.
  std::string separator = " ", unknown_separator = " ";
  bool drops_first_space = false;
  std::string hash;
  std::string json;        // the file, unless it is a .model:
  std::string model_file;  // its bytes,
  std::string where;       // and its name
  Lazy<std::string> json_of_model;
  std::vector<std::string> warnings;
};

}  // namespace headwater
