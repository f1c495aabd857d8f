#include "text/formats/sentencepiece_coding.hpp"

#include <utility>

#include "text/tokenizer/unknown_pieces.hpp"

namespace headwater {
namespace {

class SentencePieceEncoding final : public Encoding {
 public:
  SentencePieceEncoding(SentencePiece sentencepiece, std::shared_ptr<const Vocabulary> vocabulary)
      : sentencepiece_(std::move(sentencepiece)), vocabulary_(std::move(vocabulary)) {}

  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override {
    sentencepiece_.encode_text(text, ids);
  }

  void sample(std::string_view text, const SubwordSampling& sampling, SampleCounter& random,
              std::vector<std::int32_t>& ids) const override {
    const std::string normal = sentencepiece_.normalize(text);
    if (!normal.empty()) sentencepiece_.sample(normal, sampling, random, ids);
  }

  void for_each_token(std::string_view text, const UseToken& use) const override {
    std::vector<std::int32_t> ids;
    encode(text, ids);
    const bool has_unknown = vocabulary_->has_unknown(ids);
    for_each_surface(has_unknown ? sentencepiece_.normalize(text) : std::string(), {}, ids, *vocabulary_,
                     use);
  }

  std::string normalize(std::string_view text) const override { return sentencepiece_.standardize(text); }

 private:
  SentencePiece sentencepiece_;
  std::shared_ptr<const Vocabulary> vocabulary_;
};

class SentencePieceDecoding final : public Decoding {
 public:
  explicit SentencePieceDecoding(SentencePiece sentencepiece) : sentencepiece_(std::move(sentencepiece)) {}

  std::string decode(std::span<const std::int32_t> ids, bool shows_unknown) const override {
    return sentencepiece_.decode(ids, shows_unknown);
  }
  std::string join(std::span<const std::string> tokens) const override { return sentencepiece_.join(tokens); }
  std::string token_text(std::string_view surface) const override {
    return sentencepiece_.piece_text(surface);
  }
  std::string token_label(std::string_view surface) const override { return token_text(surface); }

 private:
  SentencePiece sentencepiece_;
};

}  // namespace

std::unique_ptr<const Encoding> sentencepiece_encoding(SentencePiece sentencepiece,
                                                       std::shared_ptr<const Vocabulary> vocabulary) {
  return std::make_unique<SentencePieceEncoding>(std::move(sentencepiece), std::move(vocabulary));
}

std::unique_ptr<const Decoding> sentencepiece_decoding(SentencePiece sentencepiece) {
  return std::make_unique<SentencePieceDecoding>(std::move(sentencepiece));
}

}  // namespace headwater
