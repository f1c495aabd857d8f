#include "text/tokenizer.hpp"

#include "support/error.hpp"
#include "support/files.hpp"
#include "text/tokenizer_impl.hpp"

namespace headwater {

// The pieces that the model gets.
template <class Use>
void Tokenizer::visit(std::string_view text, const Use& use) const {
  const Impl& impl = *impl_;
  if (!impl.is_native) {
    const std::string normal = impl.normalizer.apply(text);
    for (const TextSpan& piece : impl.pre_tokenizer.split(normal)) {
      use(std::string_view(normal).substr(piece.begin, piece.end - piece.begin));
    }
    return;
  }
  std::string scratch;
  text = standardize_code_points(text, impl.standardize, scratch);
  headwater::for_each_token(impl.split, text, impl.map, use);
}

Tokenizer Tokenizer::load(const std::filesystem::path& path) { return parse(read_file(path), path.string()); }

void Tokenizer::encode(std::string_view text, std::vector<std::int32_t>& ids) const {
  ids.clear();
  if (impl_->is_native) {
    visit(text, [&](std::string_view token) { ids.push_back(id_of_token(token)); });
  } else if (impl_->text_encoder != nullptr) {
    impl_->text_encoder->encode(text, ids);
  } else {
    visit(text, [&](std::string_view piece) { impl_->model->encode(piece, ids); });
  }
}

void Tokenizer::sample(std::string_view text, const SubwordSampling& sampling, const RandomStream& stream,
                       std::vector<std::int32_t>& ids) const {
  ids.clear();
  SampleCounter random{.stream = stream};
  visit(text, [&](std::string_view piece) { impl_->model->sample(piece, sampling, random, ids); });
}

std::vector<std::int32_t> Tokenizer::encode(std::string_view text) const {
  std::vector<std::int32_t> ids;
  encode(text, ids);
  return ids;
}

void Tokenizer::for_each_token(std::string_view text,
                               const std::function<void(std::string_view)>& use) const {
  if (impl_->is_native) return visit(text, use);
  std::vector<std::int32_t> ids;
  visit(text, [&](std::string_view piece) {
    ids.clear();
    impl_->model->encode(piece, ids);
    // A piece that is unknown as a whole is shown as it is, unless its text is that of a token.
    const bool is_shown = ids.size() == 1 && ids[0] == impl_->unknown_id && impl_->vocabulary.find(piece) < 0;
    if (is_shown) return use(piece);
    for (const std::int32_t id : ids) use(impl_->vocabulary.surface(id));
  });
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

std::string Tokenizer::decode(std::span<const std::int32_t> ids, UnknownTokens unknown) const {
  std::string text;
  bool is_first = true;
  for (const std::int32_t id : ids) {
    const std::string& surface = impl_->vocabulary.surface(id);
    if (impl_->vocabulary.is_special(id) && (id != impl_->unknown_id || unknown == UnknownTokens::skipped))
      continue;
    if (!is_first) text += id == impl_->unknown_id ? impl_->unknown_separator : impl_->separator;
    text += surface;
    is_first = false;
  }
  return without_first_space(std::move(text));
}

std::string Tokenizer::join(std::span<const std::string> tokens) const {
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
  if (!impl_->is_native) return impl_->normalizer.apply(text);
  if (impl_->split != SplitKind::word_and_punctuation) return standardize(text, impl_->standardize);
  std::string normal;
  visit(text, [&](std::string_view token) { normal += token; });
  return normal;
}

const std::string& Tokenizer::surface(std::int32_t id) const { return impl_->vocabulary.surface(id); }
std::int32_t Tokenizer::vocabulary_size() const { return impl_->vocabulary.size(); }
std::int32_t Tokenizer::pad_id() const { return impl_->pad_id; }
std::int32_t Tokenizer::unknown_id() const { return impl_->unknown_id; }
std::int32_t Tokenizer::start_id() const { return impl_->start_id; }
std::int32_t Tokenizer::end_id() const { return impl_->end_id; }
SpecialIds Tokenizer::special_ids() const {
  return {.pad = pad_id(), .unknown = unknown_id(), .start = start_id(), .end = end_id()};
}
const std::string& Tokenizer::hash() const { return impl_->hash; }
const std::string& Tokenizer::to_json() const { return impl_->json; }
const std::vector<std::string>& Tokenizer::warnings() const { return impl_->warnings; }

}  // namespace headwater
