#include "text/formats/class_parts.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "text/tokenizer/tokenizer_json.hpp"

namespace headwater {

VocabularyIds::VocabularyIds(const Json& vocab) {
  if (vocab.is_object()) {
    for (const auto& [surface, id] : vocab.as_object()) {
      if (id.is_unsigned()) ids_.value(surface) = id.as_unsigned() + 1;
    }
    size_ = std::ssize(vocab.as_object());
  } else if (vocab.is_array()) {
    for (const Json& piece : vocab.as_array()) {
      ++size_;
      if (piece.is_array() && !piece.as_array().empty() && piece.as_array()[0].is_string())
        ids_.value(piece.as_array()[0].as_string()) = static_cast<std::uint64_t>(size_);
    }
  }
}

std::int64_t VocabularyIds::find(std::string_view surface) const {
  const WordTable::Entry* const entry = ids_.find(surface);
  return entry == nullptr ? -1 : static_cast<std::int64_t>(entry->value) - 1;
}

namespace {

std::string_view content_of(const Json& token) {
  const Json* content = token.is_object() ? token.find("content") : nullptr;
  return content != nullptr && content->is_string() ? std::string_view(content->as_string())
                                                    : std::string_view();
}

std::int64_t id_of(const Json& token) {
  const Json* id = token.is_object() ? token.find("id") : nullptr;
  return id != nullptr && id->is_integer() ? id->as_integer() : -1;
}

// No text spells it by chance. The library finds the others in a text as well.
bool is_bracketed(std::string_view surface) {
  return surface.size() > 2 && ((surface.starts_with('[') && surface.ends_with(']')) ||
                                (surface.starts_with('<') && surface.ends_with('>')));
}

}  // namespace

Json::Array added_tokens_of(const VocabularyIds& vocabulary, Json::Array list,
                            const TokenizerFolder& settings, std::initializer_list<std::string_view> names) {
  std::int64_t size = vocabulary.size();
  WordTable places;  // in `list`, from 1, by surfaces
  for (std::size_t i = 0; i < list.size(); ++i) {
    size += id_of(list[i]) >= size ? 1 : 0;
    places.value(content_of(list[i])) = i + 1;
  }
  const auto append = [&](Json token) {
    list.push_back(std::move(token));
    places.value(content_of(list.back())) = list.size();
  };
  for (const Json& token : settings.added) {
    const std::string& surface = token.at("content").as_string();
    const std::int64_t id = id_of(token);
    const WordTable::Entry* const place = places.find(surface);
    Json* const before = place == nullptr ? nullptr : &list[place->value - 1];
    const std::int64_t known = before != nullptr ? id_of(*before) : vocabulary.find(surface);
    if (known < 0 && id == size) {
      ++size;
    } else if (known != id) {
      throw Error(settings.added_where + ": the id " + std::to_string(id) + " of " + quote(surface) +
                  (known >= 0 ? " is " + std::to_string(known) + " in the vocabulary"
                              : " does not continue the vocabulary of " + std::to_string(size) + " tokens"));
    }
    if (before == nullptr) {
      append(token);
    } else if (settings.is_added_all) {
      *before = token;
    }
  }
  const auto add = [&](std::string_view surface, bool is_special) {
    const std::int64_t id = vocabulary.find(surface);
    if (id >= 0 && places.find(surface) == nullptr) append(added_token_json(surface, id, is_special));
  };
  for (const std::string_view name : names) add(name, true);
  for (const std::string& name : settings.extra) add(name, true);
  for (const char* role :
       {"bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"}) {
    if (const std::string surface = settings.role(role); !surface.empty())
      add(surface, is_bracketed(surface));
  }
  return list;
}

TemplateToken template_token(std::string_view role, const Json::Array& added,
                             const TokenizerFolder& settings) {
  TemplateToken token{settings.role(role)};
  const auto found = std::ranges::find(added, token.surface, content_of);
  if (found != added.end()) token.id = id_of(*found);
  if (token.id < 0 && settings.roles.contains(role))
    throw Error(settings.config_path() + ": " + quote(role) + " is " + quote(token.surface) +
                ", which is not in the vocabulary");
  return token;
}

Json bert_normalizer_json(const TokenizerFolder& settings) {
  return Json::Object{{"type", "BertNormalizer"},
                      {"clean_text", true},
                      {"handle_chinese_chars", settings.handle_chinese_chars},
                      {"strip_accents", settings.strip_accents},
                      {"lowercase", settings.lowercase.value_or(true)}};
}

Json bert_decoder_json() { return Json::Object{{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}}; }

Json byte_level_json(bool add_prefix_space) {
  return Json::Object{{"type", "ByteLevel"},
                      {"add_prefix_space", add_prefix_space},
                      {"trim_offsets", true},
                      {"use_regex", true}};
}

Json bert_post_processor_json(const TemplateToken& first, const TemplateToken& last) {
  if (first.id < 0 || last.id < 0) return nullptr;
  return Json::Object{{"type", "BertProcessing"},
                      {"sep", Json::Array{last.surface, last.id}},
                      {"cls", Json::Array{first.surface, first.id}}};
}

Json roberta_post_processor_json(const TemplateToken& first, const TemplateToken& last,
                                 bool add_prefix_space) {
  if (first.id < 0 || last.id < 0) return nullptr;
  return Json::Object{{"type", "RobertaProcessing"},
                      {"sep", Json::Array{last.surface, last.id}},
                      {"cls", Json::Array{first.surface, first.id}},
                      {"trim_offsets", true},
                      {"add_prefix_space", add_prefix_space}};
}

}  // namespace headwater
