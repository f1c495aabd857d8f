#include "text/tokenizer/tokenizer.hpp"

#include "text/tokenizer/token_text.hpp"
#include "text/tokenizer/tokenizer_impl.hpp"  // IWYU pragma: keep

namespace headwater {

void Tokenizer::encode(std::string_view text, std::vector<std::int32_t>& ids) const {
  ids.clear();
  impl_->encoding->encode(text, ids);
}

std::vector<std::int32_t> Tokenizer::encode(std::string_view text) const {
  std::vector<std::int32_t> ids;
  encode(text, ids);
  return ids;
}

std::string Tokenizer::model_type() const { return impl_->model_type; }

void Tokenizer::sample(std::string_view text, const SubwordSampling& sampling, const RandomStream& stream,
                       std::vector<std::int32_t>& ids) const {
  ids.clear();
  SampleCounter random{.stream = stream};
  impl_->encoding->sample(text, sampling, random, ids);
}

void Tokenizer::for_each_sampled_token(std::string_view text, const SubwordSampling& sampling,
                                       const RandomStream& stream,
                                       const std::function<void(std::string_view)>& use) const {
  SampleCounter random{.stream = stream};
  if (impl_->encoding->for_each_sampled_token(text, sampling, random, use)) return;
  std::vector<std::int32_t> ids;
  sample(text, sampling, stream, ids);
  for (const std::int32_t id : ids) use(surface(id));
}

void Tokenizer::for_each_token(std::string_view text,
                               const std::function<void(std::string_view)>& use) const {
  impl_->encoding->for_each_token(text, use);
}

std::vector<std::string> Tokenizer::tokens(std::string_view text) const {
  std::vector<std::string> all;
  for_each_token(text, [&](std::string_view token) { all.emplace_back(token); });
  return all;
}

std::int32_t Tokenizer::id_of_token(std::string_view token) const { return impl_->vocabulary->id_of(token); }

std::vector<std::int32_t> Tokenizer::with_special_tokens(std::span<const std::int32_t> ids) const {
  return impl_->post_processor.apply(ids);
}

void Tokenizer::with_special_tokens(std::span<const std::int32_t> ids, std::vector<std::int32_t>& all) const {
  impl_->post_processor.apply(ids, all);
}

std::vector<std::int32_t> Tokenizer::with_special_tokens(std::span<const std::int32_t> first,
                                                         std::span<const std::int32_t> second) const {
  return impl_->post_processor.apply(first, second);
}

void Tokenizer::with_special_tokens(std::span<const std::int32_t> first, std::span<const std::int32_t> second,
                                    std::vector<std::int32_t>& all) const {
  impl_->post_processor.apply(first, second, all);
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids, UnknownTokens unknown) const {
  return impl_->decoding->decode(ids, unknown == UnknownTokens::shown);
}

std::string Tokenizer::join(std::span<const std::string> tokens) const {
  return impl_->decoding->join(tokens);
}

std::string Tokenizer::normalize(std::string_view text) const { return impl_->encoding->normalize(text); }

const std::string& Tokenizer::surface(std::int32_t id) const { return impl_->vocabulary->surface(id); }

std::string Tokenizer::token_text(std::string_view surface) const {
  return impl_->decoding->token_text(surface);
}

std::string Tokenizer::token_label(std::string_view surface) const {
  return one_line(impl_->decoding->token_label(surface));
}

std::int32_t Tokenizer::vocabulary_size() const { return impl_->vocabulary->size(); }
std::int32_t Tokenizer::pad_id() const { return impl_->pad_id; }
std::int32_t Tokenizer::unknown_id() const { return impl_->vocabulary->unknown_id(); }
std::int32_t Tokenizer::start_id() const { return impl_->start_id; }
std::int32_t Tokenizer::end_id() const { return impl_->end_id; }
SpecialIds Tokenizer::special_ids() const {
  return {.pad = pad_id(), .unknown = unknown_id(), .start = start_id(), .end = end_id()};
}
bool Tokenizer::is_special(std::int32_t id) const { return impl_->vocabulary->is_special(id); }
std::int32_t Tokenizer::special_id(std::string_view surface) const {
  for (std::int32_t id = 0; id < vocabulary_size(); ++id) {
    if (impl_->vocabulary->is_special(id) && impl_->vocabulary->surface(id) == surface) return id;
  }
  return -1;
}
const std::string& Tokenizer::hash() const { return impl_->hash; }
const std::string& Tokenizer::to_json() const {
  return impl_->make_json ? impl_->made_json.get(impl_->make_json) : impl_->json;
}
bool Tokenizer::truncates_left() const { return impl_->truncates_left; }

const std::vector<std::string>& Tokenizer::warnings() const { return impl_->warnings; }

}  // namespace headwater
