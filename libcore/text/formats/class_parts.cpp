#include "text/formats/class_parts.hpp"

#include <algorithm>
#include <set>

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

// A class makes special what has a role, whatever the list says.
void make_roles_special(Json::Array& list, const TokenizerFolder& settings) {
  for (const char* role : kTokenRoles) {
    const auto token = std::ranges::find(list, settings.role(role), content_of);
    if (token != list.end()) token->set("special", true);
  }
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
  // What no vocabulary has comes behind it, as the library does; a role's token only where another follows
  // it.
  const bool grows = std::ranges::any_of(settings.extra, [&](const Json& token) {
    return vocabulary.find(content_of(token)) < 0 && places.find(content_of(token)) == nullptr;
  });
  const auto add = [&](Json token) {
    if (places.find(content_of(token)) != nullptr) return;
    const std::int64_t id = vocabulary.find(content_of(token));
    if (id >= 0 || grows) append(token.set("id", id >= 0 ? id : size++));
  };
  const auto add_role = [&](std::string_view surface, bool is_special) {
    const auto said = settings.flags.find(surface);
    Json token = said == settings.flags.end() ? added_token_json(surface, -1) : said->second;
    add(token.set("special", is_special));
  };
  for (const std::string_view name : names) {
    if (vocabulary.find(name) >= 0) add_role(name, true);
  }
  for (const char* role : kTokenRoles) {
    if (const std::string surface = settings.role(role); !surface.empty())
      add_role(surface, settings.splits_special || is_bracketed(surface));
  }
  for (const Json& token : settings.extra) add(token);
  if (settings.splits_special && settings.tokenizer_class != TokenizerClass::file)
    make_roles_special(list, settings);
  return list;
}

namespace {

// Where no file says a role, the tokens of these names have it.
struct NamesOfRole {
  const char *role, *other;
  std::initializer_list<std::string_view> names;
};
const NamesOfRole kNamesOfRoles[] = {
    {"unk_token", "unk_token", {kUnknownToken, "<unk>"}},
    {"pad_token", "pad_token", {kPadToken, "<pad>"}},
    {"bos_token", "cls_token", {kStartToken, "<s>", kClassToken, "<|startoftext|>", "<|endoftext|>"}},
    {"eos_token", "sep_token", {kEndToken, "</s>", kSeparatorToken, "<|endoftext|>"}},
    {"mask_token", "mask_token", {kMaskToken, "<mask>"}}};

using Surfaces = std::set<std::string, std::less<>>;

// The tokens that a template puts around texts are the strings in its arrays.
void add_template_tokens(const Json& part, Surfaces& surfaces) {
  if (part.is_object()) {
    for (const auto& [name, member] : part.as_object()) add_template_tokens(member, surfaces);
  } else if (part.is_array()) {
    for (const Json& one : part.as_array()) {
      if (one.is_string()) surfaces.insert(one.as_string());
      add_template_tokens(one, surfaces);
    }
  }
}

void add_unknown_token(const Json& model, Surfaces& surfaces) {
  if (const Json* unknown = model.find("unk_token"); unknown != nullptr && unknown->is_string())
    surfaces.insert(unknown->as_string());
  const Json *id = model.find("unk_id"), *vocab = model.find("vocab");
  if (id == nullptr || !id->is_unsigned() || vocab == nullptr || !vocab->is_array()) return;
  if (id->as_unsigned() >= vocab->as_array().size()) return;
  const Json& piece = vocab->as_array()[id->as_unsigned()];
  if (piece.is_array() && !piece.as_array().empty() && piece.as_array()[0].is_string())
    surfaces.insert(piece.as_array()[0].as_string());
}

Surfaces tokens_with_roles(const Json& file, const TokenizerFolder& settings) {
  Surfaces surfaces;
  for (const char* role : kTokenRoles) surfaces.insert(settings.role(role));
  for (const auto& [role, other, names] : kNamesOfRoles) {
    if (settings.role(role).empty() && settings.role(other).empty())
      surfaces.insert(names.begin(), names.end());
  }
  if (const Json* post = file.find("post_processor"); post != nullptr) add_template_tokens(*post, surfaces);
  if (const Json* model = file.find("model"); model != nullptr && model->is_object())
    add_unknown_token(*model, surfaces);
  return surfaces;
}

}  // namespace

std::string special_without_role(const TokenizerFolder& settings) {
  if (settings.splits_special) return {};
  const Surfaces roles = tokens_with_roles(Json::Object{}, settings);
  for (const Json::Array* list : {&settings.added, &settings.extra}) {
    for (const Json& token : *list) {
      if (token.at("special").as_bool() && !roles.contains(content_of(token)))
        return token.at("content").as_string();
    }
  }
  return {};
}

bool mark_tokens_in_text(Json& file, const TokenizerFolder& settings) {
  const Json *const list = file.find("added_tokens"), *const normalizer = file.find("normalizer");
  if (list == nullptr || !list->is_array()) return false;
  // Ours of a .model, which alone is read.
  if (normalizer != nullptr && normalizer->is_object() && normalizer->find("sentencepiece") != nullptr)
    return false;
  const Surfaces roles = tokens_with_roles(file, settings);
  Json::Array marked = list->as_array();
  bool is_changed = false;
  for (Json& token : marked) {
    if (!token.is_object() || (!settings.splits_special && roles.contains(content_of(token)))) continue;
    const Json *special = token.find("special"), *mark = token.find(kInTextMember);
    if (special == nullptr || !special->is_bool() || !special->as_bool()) continue;
    if (mark != nullptr && !settings.splits_special) continue;
    token.set(kInTextMember, !settings.splits_special && !settings.is_ours);
    if (settings.splits_special) token.set(kSplitMember, true);
    is_changed = true;
  }
  if (is_changed) file.set("added_tokens", std::move(marked));
  return is_changed;
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
