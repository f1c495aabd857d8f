#include <utility>

#include "text/tokenizer/encoding.hpp"

namespace headwater {
namespace {

class WordEncoding final : public Encoding {
 public:
  WordEncoding(const StandardizeSettings& settings, SplitKind split, std::shared_ptr<const Vocabulary> words)
      : settings_(settings), split_(split), map_(byte_map(settings, split)), vocabulary_(std::move(words)) {}

  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override {
    visit(text, [&](std::string_view token) { ids.push_back(vocabulary_->id_of(token)); });
  }

  void for_each_token(std::string_view text, const UseToken& use) const override { visit(text, use); }

  std::string normalize(std::string_view text) const override {
    if (split_ != SplitKind::word_and_punctuation) return standardize(text, settings_);
    std::string normal;
    visit(text, [&](std::string_view token) { normal += token; });
    return normal;
  }

 private:
  template <class Use>
  void visit(std::string_view text, const Use& use) const {
    std::string scratch;
    text = standardize_code_points(text, settings_, scratch);
    headwater::for_each_token(split_, text, map_, use);
  }

  StandardizeSettings settings_;
  SplitKind split_;
  ByteMap map_;
  std::shared_ptr<const Vocabulary> vocabulary_;
};

}  // namespace

std::unique_ptr<const Encoding> word_encoding(const StandardizeSettings& standardize, SplitKind split,
                                              std::shared_ptr<const Vocabulary> vocabulary) {
  return std::make_unique<WordEncoding>(standardize, split, std::move(vocabulary));
}

}  // namespace headwater
