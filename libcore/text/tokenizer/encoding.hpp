// From a text to tokens: one half of a tokenizer. A kind of tokenizer has its own: those
// below, and that of formats/sentencepiece_json.hpp. The other half is decoding.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer/added_tokens.hpp"
#include "text/tokenizer/normalizer.hpp"
#include "text/tokenizer/pre_tokenizer.hpp"
#include "text/tokenizer/token_model.hpp"
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

// What Tokenizer says of its members of these names holds here. From any thread.
class Encoding {
 public:
  using UseToken = std::function<void(std::string_view)>;
  virtual ~Encoding() = default;
  // Appends the ids of `text`, well-formed UTF-8.
  virtual void encode(std::string_view text, std::vector<std::int32_t>& ids) const = 0;
  // The same with random choices; an encoding without choices encodes as above.
  virtual void sample(std::string_view text, const SubwordSampling& /*sampling*/, SampleCounter& /*random*/,
                      std::vector<std::int32_t>& ids) const {
    encode(text, ids);
  }
  virtual void for_each_token(std::string_view text, const UseToken& use) const = 0;
  // The tokens of a sample; false where it knows their ids alone.
  virtual bool for_each_sampled_token(std::string_view /*text*/, const SubwordSampling& /*sampling*/,
                                      SampleCounter& /*random*/, const UseToken& /*use*/) const {
    return false;
  }
  virtual std::string normalize(std::string_view text) const = 0;
};

// Our own standardisation and splitting, done natively, between added tokens.
std::unique_ptr<const Encoding> word_encoding(const StandardizeSettings& standardize, SplitKind split,
                                              AddedTokens added,
                                              std::shared_ptr<const Vocabulary> vocabulary);

// The parts of a tokenizer.json, one after the other. Without any, a whole text is one piece of the model.
struct EncodingParts {
  AddedTokens added;  // found before the normalizer
  Normalizer normalizer;
  std::function<Normalizer()> make_plain_normalizer;  // without what the decoder undoes; none: the same
  AddedTokens added_normalized;                       // found after the normalizer
  PreTokenizer pre_tokenizer;
  std::shared_ptr<const TokenModel> model;
  std::unique_ptr<const FusedEncoder> fused_encoder;  // one loop for all of them, or none
};
std::unique_ptr<const Encoding> part_encoding(EncodingParts parts,
                                              std::shared_ptr<const Vocabulary> vocabulary);

}  // namespace headwater
