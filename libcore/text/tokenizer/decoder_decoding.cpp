#include <utility>
#include <vector>

#include "text/tokenizer/decoding.hpp"

namespace headwater {
namespace {

class DecoderDecoding final : public Decoding {
 public:
  DecoderDecoding(TokenDecoder decoder, std::shared_ptr<const Vocabulary> vocabulary)
      : decoder_(std::move(decoder)), vocabulary_(std::move(vocabulary)) {}

  std::string decode(std::span<const std::int32_t> ids, bool shows_unknown) const override {
    std::vector<std::string> tokens;
    for (const std::int32_t id : ids) {
      const std::string& surface = vocabulary_->surface(id);
      if (vocabulary_->is_text(id, shows_unknown)) tokens.push_back(surface);
    }
    return decoder_.apply(std::move(tokens));
  }
  std::string join(std::span<const std::string> tokens) const override {
    return decoder_.apply({tokens.begin(), tokens.end()});
  }
  std::string token_text(std::string_view surface) const override { return decoder_.token_text(surface); }
  std::string token_label(std::string_view surface) const override { return decoder_.token_label(surface); }

 private:
  TokenDecoder decoder_;
  std::shared_ptr<const Vocabulary> vocabulary_;
};

}  // namespace

std::unique_ptr<const Decoding> decoder_decoding(TokenDecoder decoder,
                                                 std::shared_ptr<const Vocabulary> vocabulary) {
  return std::make_unique<DecoderDecoding>(std::move(decoder), std::move(vocabulary));
}

}  // namespace headwater
