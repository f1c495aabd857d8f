#include "text/tokenizer/encoding.hpp"

#include <utility>

#include "text/tokenizer/unknown_pieces.hpp"

namespace headwater {

namespace {

class WordEncoding final : public Encoding {
 public:
  WordEncoding(const StandardizeSettings& settings, SplitKind split, AddedTokens added,
               std::shared_ptr<const Vocabulary> words)
      : settings_(settings),
        split_(split),
        map_(byte_map(settings, split)),
        added_(std::move(added)),
        vocabulary_(std::move(words)) {}

  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override {
    visit(text, [&](std::string_view token) { ids.push_back(vocabulary_->id_of(token)); });
  }

  void for_each_token(std::string_view text, const UseToken& use) const override { visit(text, use); }

  std::string normalize(std::string_view text) const override {
    std::string normal;
    for (const AddedPart& part : added_.split(text)) {
      if (part.id >= 0) {
        normal += part.text;
      } else if (split_ == SplitKind::word_and_punctuation) {
        visit_part(part.text, [&](std::string_view token) { normal += token; });
      } else {
        normal += standardize(part.text, settings_);
      }
    }
    return normal;
  }

 private:
  template <class Use>
  void visit(std::string_view text, const Use& use) const {
    if (added_.empty()) return visit_part(text, use);
    for (const AddedPart& part : added_.split(text))
      part.id < 0 ? visit_part(part.text, use) : use(std::string_view(vocabulary_->surface(part.id)));
  }

  template <class Use>
  void visit_part(std::string_view text, const Use& use) const {
    std::string scratch;
    text = standardize_code_points(text, settings_, scratch);
    headwater::for_each_token(split_, text, map_, use);
  }

  StandardizeSettings settings_;
  SplitKind split_;
  ByteMap map_;
  AddedTokens added_;
  std::shared_ptr<const Vocabulary> vocabulary_;
};

}  // namespace

std::unique_ptr<const Encoding> word_encoding(const StandardizeSettings& standardize, SplitKind split,
                                              AddedTokens added,
                                              std::shared_ptr<const Vocabulary> vocabulary) {
  return std::make_unique<WordEncoding>(standardize, split, std::move(added), std::move(vocabulary));
}

namespace {

class PartEncoding final : public Encoding {
 public:
  PartEncoding(EncodingParts parts, std::shared_ptr<const Vocabulary> vocabulary)
      : parts_(std::move(parts)), vocabulary_(std::move(vocabulary)) {}

  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override {
    if (parts_.fused_encoder != nullptr) return parts_.fused_encoder->encode(text, ids);
    visit(
        text, [&](std::string_view piece) { parts_.model->encode(piece, ids); },
        [&](std::int32_t id) { ids.push_back(id); });
  }

  void sample(std::string_view text, const SubwordSampling& sampling, SampleCounter& random,
              std::vector<std::int32_t>& ids) const override {
    visit(
        text, [&](std::string_view piece) { parts_.model->sample(piece, sampling, random, ids); },
        [&](std::int32_t id) { ids.push_back(id); });
  }

  void for_each_token(std::string_view text, const UseToken& use) const override {
    std::vector<std::int32_t> ids;
    if (parts_.fused_encoder != nullptr) {
      parts_.fused_encoder->encode(text, ids);
      if (!vocabulary_->has_unknown(ids)) {
        for (const std::int32_t id : ids) use(vocabulary_->surface(id));
        return;
      }
    }
    visit_tokens(
        text, use, [&](std::string_view piece) { parts_.model->encode(piece, ids); }, ids);
  }

  bool for_each_sampled_token(std::string_view text, const SubwordSampling& sampling, SampleCounter& random,
                              const UseToken& use) const override {
    std::vector<std::int32_t> ids;
    visit_tokens(
        text, use, [&](std::string_view piece) { parts_.model->sample(piece, sampling, random, ids); }, ids);
    return true;
  }

  // As it is normalised between added tokens, which stay.
  std::string normalize(std::string_view text) const override {
    const Normalizer& normalizer = parts_.make_plain_normalizer
                                       ? plain_normalizer_.get(parts_.make_plain_normalizer)
                                       : parts_.normalizer;
    std::string normal;
    for (const AddedPart& added : parts_.added.split(text)) {
      if (added.id >= 0) {
        normal += added.text;
      } else {
        normal += normalizer.apply(added.text);
      }
    }
    return normal;
  }

 private:
  // use(surface) for each token; append(piece) puts the ids of a piece into `ids`.
  template <class Append>
  void visit_tokens(std::string_view text, const UseToken& use, const Append& append,
                    std::vector<std::int32_t>& ids) const {
    visit(
        text,
        [&](std::string_view piece) {
          ids.clear();
          append(piece);
          for_each_surface(piece, parts_.model->word_end(), ids, *vocabulary_, use);
        },
        [&](std::int32_t id) { use(vocabulary_->surface(id)); });
  }

  // The pieces that the model gets, and the ids of added tokens between them.
  template <class UsePiece, class UseId>
  void visit(std::string_view text, const UsePiece& use_piece, const UseId& use_id) const {
    for (const AddedPart& part : parts_.added.split(text)) {
      if (part.id >= 0) {
        use_id(part.id);
        continue;
      }
      const std::string normal = parts_.normalizer.apply(part.text);
      for (const AddedPart& inner : parts_.added_normalized.split(normal)) {
        if (inner.id >= 0) {
          use_id(inner.id);
          continue;
        }
        const bool begins_text = part.text.data() == text.data() && inner.text.data() == normal.data();
        parts_.pre_tokenizer.for_each_piece(inner.text, begins_text,
                                            [&](std::string_view piece) { use_piece(piece); });
      }
    }
  }

  EncodingParts parts_;
  Lazy<Normalizer> plain_normalizer_;
  std::shared_ptr<const Vocabulary> vocabulary_;
};

}  // namespace

std::unique_ptr<const Encoding> part_encoding(EncodingParts parts,
                                              std::shared_ptr<const Vocabulary> vocabulary) {
  return std::make_unique<PartEncoding>(std::move(parts), std::move(vocabulary));
}

}  // namespace headwater
