#include "text/tokenizer/decoding.hpp"

#include <utility>
#include <vector>

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

namespace {

class SeparatorDecoding final : public Decoding {
 public:
  SeparatorDecoding(Separators separators, std::shared_ptr<const Vocabulary> vocabulary)
      : separators_(std::move(separators)), vocabulary_(std::move(vocabulary)) {}

  std::string decode(std::span<const std::int32_t> ids, bool shows_unknown) const override {
    std::string text;
    bool is_first = true;
    for (const std::int32_t id : ids) {
      const std::string& surface = vocabulary_->surface(id);
      if (!vocabulary_->is_text(id, shows_unknown)) continue;
      if (!is_first)
        text += id == vocabulary_->unknown_id() ? separators_.before_unknown : separators_.between;
      text += surface;
      is_first = false;
    }
    drop_first_space(text);
    return text;
  }

  std::string join(std::span<const std::string> tokens) const override {
    std::string text;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (i != 0) text += separators_.between;
      text += tokens[i];
    }
    drop_first_space(text);
    return text;
  }

 private:
  void drop_first_space(std::string& text) const {
    if (separators_.drops_first_space && text.starts_with(' ')) text.erase(0, 1);
  }

  Separators separators_;
  std::shared_ptr<const Vocabulary> vocabulary_;
};

}  // namespace

std::unique_ptr<const Decoding> separator_decoding(Separators separators,
                                                   std::shared_ptr<const Vocabulary> vocabulary) {
  return std::make_unique<SeparatorDecoding>(std::move(separators), std::move(vocabulary));
}

}  // namespace headwater
