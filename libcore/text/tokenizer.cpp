#include "text/tokenizer.hpp"

#include "support/error.hpp"
#include "support/files.hpp"
#include "text/tokenizer_impl.hpp"
#include "text/unicode.hpp"

namespace headwater {

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
  std::string lowered, scratch;
  if (impl.standardize.lowers() && impl.standardize.lower == Lowering::unicode) {
    append_unicode_lower(lowered, text);
    text = lowered;
  }
  if (impl.split == SplitKind::word) {
    for_each_word(text, impl.map, scratch, use);
  } else {
    for_each_character(text, impl.map, use);
  }
}

Tokenizer Tokenizer::load(const std::filesystem::path& path) {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;
  return parse(read_file(path, kMaxBytes), path.string());
}

void Tokenizer::encode(std::string_view text, std::vector<std::int32_t>& ids) const {
  ids.clear();
  visit(text, [&](std::string_view token) { ids.push_back(id_of_token(token)); });
}

std::vector<std::int32_t> Tokenizer::encode(std::string_view text) const {
  std::vector<std::int32_t> ids;
  encode(text, ids);
  return ids;
}

void Tokenizer::for_each_token(std::string_view text,
                               const std::function<void(std::string_view)>& use) const {
  visit(text, use);
}

std::vector<std::string> Tokenizer::tokens(std::string_view text) const {
  std::vector<std::string> all;
  visit(text, [&](std::string_view token) { all.emplace_back(token); });
  return all;
}

std::int32_t Tokenizer::id_of_token(std::string_view token) const {
  const std::int32_t id = impl_->vocabulary.find(token);
  return id < 0 ? impl_->unknown_id : id;
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
    if (!is_first) text += impl_->separator;
    text += surface;
    is_first = false;
  }
  return text;
}

std::string Tokenizer::join(std::span<const std::string> tokens) const {
  std::string text;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i != 0) text += impl_->separator;
    text += tokens[i];
  }
  return text;
}

std::string Tokenizer::normalize(std::string_view text) const {
  return impl_->is_native ? standardize(text, impl_->standardize) : impl_->normalizer.apply(text);
}

const std::string& Tokenizer::surface(std::int32_t id) const { return impl_->vocabulary.surface(id); }
std::int32_t Tokenizer::vocabulary_size() const { return impl_->vocabulary.size(); }
std::int32_t Tokenizer::pad_id() const { return impl_->pad_id; }
std::int32_t Tokenizer::unknown_id() const { return impl_->unknown_id; }
std::int32_t Tokenizer::start_id() const { return impl_->start_id; }
std::int32_t Tokenizer::end_id() const { return impl_->end_id; }
const std::string& Tokenizer::hash() const { return impl_->hash; }
const std::string& Tokenizer::to_json() const { return impl_->json; }
const std::vector<std::string>& Tokenizer::warnings() const { return impl_->warnings; }

}  // namespace headwater
