#include "text/tokenizer/tokenizer.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "text/formats/sentencepiece_json.hpp"
#include "text/tokenizer/readable_normalizer.hpp"
#include "text/tokenizer/token_text.hpp"
#include "text/tokenizer/tokenizer_impl.hpp"
#include "text/tokenizer/unknown_pieces.hpp"

namespace headwater {

// The words or characters of our own standardisation and splitting.
template <class Use>
void Tokenizer::visit_words(std::string_view text, const Use& use) const {
  std::string scratch;
  text = standardize_code_points(text, impl_->standardize, scratch);
  headwater::for_each_token(impl_->split, text, impl_->map, use);
}

// The pieces that the model gets, and the ids of added tokens between them.
template <class UsePiece, class UseToken>
void Tokenizer::visit_pieces(std::string_view text, const UsePiece& use_piece,
                             const UseToken& use_token) const {
  if (impl_->sentencepiece.has_value()) {
    const std::string normal = impl_->sentencepiece->normalize(text);
    if (!normal.empty()) use_piece(std::string_view(normal));
    return;
  }
  for (const AddedPart& part : impl_->added.split(text)) {
    if (part.id >= 0) {
      use_token(part.id);
      continue;
    }
    const std::string normal = impl_->normalizer.apply(part.text);
    for (const AddedPart& inner : impl_->added_normalized.split(normal)) {
      if (inner.id >= 0) {
        use_token(inner.id);
        continue;
      }
      const bool begins_text = part.text.data() == text.data() && inner.text.data() == normal.data();
      impl_->pre_tokenizer.for_each_piece(inner.text, begins_text,
                                          [&](std::string_view piece) { use_piece(piece); });
    }
  }
}

void Tokenizer::encode(std::string_view text, std::vector<std::int32_t>& ids) const {
  ids.clear();
  if (impl_->is_native) {
    visit_words(text, [&](std::string_view token) { ids.push_back(id_of_token(token)); });
  } else if (impl_->text_encoder != nullptr) {
    impl_->text_encoder->encode(text, ids);
  } else {
    visit_pieces(
        text, [&](std::string_view piece) { impl_->model->encode(piece, ids); },
        [&](std::int32_t id) { ids.push_back(id); });
  }
}

std::string Tokenizer::model_type() const {
  if (impl_->sentencepiece.has_value()) {
    using Algorithm = SentencePieceFile::Algorithm;
    return impl_->sentencepiece->file().algorithm == Algorithm::unigram ? "Unigram" : "BPE";
  }
  const Json file = Json::parse(impl_->json, "tokenizer");
  const Json* model = file.find("model");
  if (model == nullptr || !model->is_object()) return "";
  const Json* type = model->find("type");
  if (type == nullptr) return model->find("merges") != nullptr ? "BPE" : "";  // as old files are
  return type->is_string() ? type->as_string() : "";
}

void Tokenizer::sample(std::string_view text, const SubwordSampling& sampling, const RandomStream& stream,
                       std::vector<std::int32_t>& ids) const {
  if (impl_->is_native) return encode(text, ids);
  ids.clear();
  SampleCounter random{.stream = stream};
  visit_pieces(
      text, [&](std::string_view piece) { impl_->model->sample(piece, sampling, random, ids); },
      [&](std::int32_t id) { ids.push_back(id); });
}

std::vector<std::int32_t> Tokenizer::encode(std::string_view text) const {
  std::vector<std::int32_t> ids;
  encode(text, ids);
  return ids;
}

void Tokenizer::for_each_token(std::string_view text,
                               const std::function<void(std::string_view)>& use) const {
  if (impl_->is_native) return visit_words(text, use);
  std::vector<std::int32_t> ids;
  if (impl_->text_encoder != nullptr) {
    impl_->text_encoder->encode(text, ids);
    if (std::find(ids.begin(), ids.end(), impl_->unknown_id) == ids.end()) {
      for (const std::int32_t id : ids) use(impl_->vocabulary.surface(id));
      return;
    }
  }
  const auto use_id = [&](std::int32_t id) { use(impl_->vocabulary.surface(id)); };
  visit_pieces(
      text,
      [&](std::string_view piece) {
        ids.clear();
        impl_->model->encode(piece, ids);
        if (std::find(ids.begin(), ids.end(), impl_->unknown_id) == ids.end()) {
          for (const std::int32_t id : ids) use_id(id);
          return;
        }
        const std::string_view word_end = impl_->model->word_end();
        for (const std::string& surface :
             surfaces_with_unknown_text(piece, word_end, ids, impl_->vocabulary, impl_->unknown_id))
          use(surface);
      },
      use_id);
}

std::vector<std::string> Tokenizer::tokens(std::string_view text) const {
  std::vector<std::string> all;
  for_each_token(text, [&](std::string_view token) { all.emplace_back(token); });
  return all;
}

std::int32_t Tokenizer::id_of_token(std::string_view token) const {
  const std::int32_t id = impl_->vocabulary.find(token);
  if (id >= 0 || impl_->unknown_id >= 0) return id < 0 ? impl_->unknown_id : id;
  throw Error("the token " + quote(token) + " is not in the vocabulary, which has no unknown token");
}

std::vector<std::int32_t> Tokenizer::ids_of_tokens(std::span<const std::string> tokens) const {
  std::vector<std::int32_t> ids;
  ids.reserve(tokens.size());
  for (const std::string& token : tokens) ids.push_back(id_of_token(token));
  return ids;
}

std::vector<std::int32_t> Tokenizer::with_special_tokens(std::span<const std::int32_t> ids) const {
  return impl_->post_processor.apply(ids);
}

std::vector<std::int32_t> Tokenizer::with_special_tokens(std::span<const std::int32_t> first,
                                                         std::span<const std::int32_t> second) const {
  return impl_->post_processor.apply(first, second);
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids, UnknownTokens unknown) const {
  if (impl_->sentencepiece.has_value())
    return impl_->sentencepiece->decode(ids, unknown == UnknownTokens::shown);
  const auto is_left_out = [&](std::int32_t id) {
    return impl_->vocabulary.is_special(id) && (id != impl_->unknown_id || unknown == UnknownTokens::skipped);
  };
  if (impl_->decoder.has_value()) {
    std::vector<std::string> tokens;
    for (const std::int32_t id : ids) {
      const std::string& surface = impl_->vocabulary.surface(id);
      if (!is_left_out(id)) tokens.push_back(surface);
    }
    return impl_->decoder->apply(std::move(tokens));
  }
  std::string text;
  bool is_first = true;
  for (const std::int32_t id : ids) {
    const std::string& surface = impl_->vocabulary.surface(id);
    if (is_left_out(id)) continue;
    if (!is_first) text += id == impl_->unknown_id ? impl_->unknown_separator : impl_->separator;
    text += surface;
    is_first = false;
  }
  return without_first_space(std::move(text));
}

std::string Tokenizer::join(std::span<const std::string> tokens) const {
  if (impl_->sentencepiece.has_value()) return impl_->sentencepiece->join(tokens);
  if (impl_->decoder.has_value()) return impl_->decoder->apply({tokens.begin(), tokens.end()});
  std::string text;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i != 0) text += impl_->separator;
    text += tokens[i];
  }
  return without_first_space(std::move(text));
}

std::string Tokenizer::without_first_space(std::string text) const {
  if (impl_->drops_first_space && text.starts_with(' ')) text.erase(0, 1);
  return text;
}

std::string Tokenizer::normalize(std::string_view text) const {
  if (impl_->sentencepiece.has_value()) return impl_->sentencepiece->standardize(text);
  if (!impl_->is_native) return standardized_parts(text);
  if (impl_->split != SplitKind::word_and_punctuation) return standardize(text, impl_->standardize);
  std::string normal;
  visit_words(text, [&](std::string_view token) { normal += token; });
  return normal;
}

// As it is normalised between added tokens, which stay.
std::string Tokenizer::standardized_parts(std::string_view text) const {
  const Json& part = impl_->normalizer_part;
  const Normalizer& normalizer = part.is_null() ? impl_->normalizer : impl_->plain_normalizer.get([&] {
    return Normalizer(readable_normalizer(part, *impl_->decoder), "normalizer");
  });
  std::string normal;
  for (const AddedPart& added : impl_->added.split(text)) {
    if (added.id >= 0) {
      normal += added.text;
    } else {
      normal += normalizer.apply(added.text);
    }
  }
  return normal;
}

const std::string& Tokenizer::surface(std::int32_t id) const { return impl_->vocabulary.surface(id); }

std::string Tokenizer::token_text(std::string_view surface) const {
  if (impl_->sentencepiece.has_value()) return impl_->sentencepiece->piece_text(surface);
  return impl_->decoder.has_value() ? impl_->decoder->token_text(surface) : std::string(surface);
}

std::string Tokenizer::token_label(std::string_view surface) const {
  const bool is_bytes = impl_->decoder.has_value() && impl_->decoder->reads_bytes();
  return one_line(is_bytes ? text_of_byte_level(surface) : std::string(surface));
}

std::int32_t Tokenizer::vocabulary_size() const { return impl_->vocabulary.size(); }
std::int32_t Tokenizer::pad_id() const { return impl_->pad_id; }
std::int32_t Tokenizer::unknown_id() const { return impl_->unknown_id; }
std::int32_t Tokenizer::start_id() const { return impl_->start_id; }
std::int32_t Tokenizer::end_id() const { return impl_->end_id; }
SpecialIds Tokenizer::special_ids() const {
  return {.pad = pad_id(), .unknown = unknown_id(), .start = start_id(), .end = end_id()};
}
std::int32_t Tokenizer::special_id(std::string_view surface) const {
  for (std::int32_t id = 0; id < vocabulary_size(); ++id) {
    if (impl_->vocabulary.is_special(id) && impl_->vocabulary.surface(id) == surface) return id;
  }
  return -1;
}
const std::string& Tokenizer::hash() const { return impl_->hash; }
const std::string& Tokenizer::to_json() const {
  if (impl_->model_file.empty()) return impl_->json;
  return impl_->json_of_model.get(
      [&] { return sentencepiece_json(impl_->sentencepiece->file(), impl_->model_file, impl_->where); });
}
const std::vector<std::string>& Tokenizer::warnings() const { return impl_->warnings; }

}  // namespace headwater
