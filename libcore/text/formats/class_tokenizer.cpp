// A tokenizer.json beside files that say otherwise.
#include <algorithm>

#include "support/error.hpp"
#include "text/formats/class_parts.hpp"
#include "text/formats/foreign_tokenizers.hpp"
#include "text/tokenizer/tokenizer_json.hpp"

namespace headwater {
namespace {

Json* member_of(Json& object, std::string_view name) {
  if (!object.is_object()) return nullptr;
  const auto found =
      std::ranges::find(object.as_object(), name, [](const Json::Member& member) { return member.first; });
  return found == object.as_object().end() ? nullptr : &found->second;
}

// The members of objects may stand in any order.
bool is_same(const Json& a, const Json& b) {
  if (a.is_object() && b.is_object()) {
    return a.as_object().size() == b.as_object().size() &&
           std::ranges::all_of(a.as_object(), [&](const Json::Member& member) {
             const Json* other = b.find(member.first);
             return other != nullptr && is_same(member.second, *other);
           });
  }
  if (a.is_array() && b.is_array()) return std::ranges::equal(a.as_array(), b.as_array(), is_same);
  return !a.is_object() && !b.is_object() && !a.is_array() && !b.is_array() && a.dump() == b.dump();
}

std::string_view type_of(const Json* part) {
  const Json* type = part != nullptr && part->is_object() ? part->find("type") : nullptr;
  return type != nullptr && type->is_string() ? std::string_view(type->as_string()) : std::string_view();
}

class Patch {
 public:
  Patch(Json& file, const TokenizerFolder& settings, const std::string& where)
      : file_(file), settings_(settings), where_(where) {}

  bool apply() {
    const Json* const model = member_of(file_, "model");
    const Json* const vocab = model == nullptr ? nullptr : model->find("vocab");
    if (vocab == nullptr) return false;  // the reader says what is wrong
    vocabulary_ = VocabularyIds(*vocab);
    if (makes_parts()) {
      if (settings_.tokenizer_class == TokenizerClass::bert) {
        make_bert();
      } else {
        make_byte_level();
      }
    } else {
      add_tokens(listed());
    }
    return mark_tokens_in_text(file_, settings_) || is_changed_;
  }

 private:
  // A new member of the file may move it.
  Json& model() const { return *member_of(file_, "model"); }

  // Without a file that names a class, the class is known of the kind of model alone, and a tokenizer of
  // another kind is read as it is.
  bool makes_parts() const {
    if (settings_.tokenizer_class == TokenizerClass::file || settings_.keeps_json) return false;
    const bool is_bert = settings_.tokenizer_class == TokenizerClass::bert;
    const std::string_view type = type_of(&model()), wanted = is_bert ? "WordPiece" : "BPE";
    const bool is_model = type == wanted || (type.empty() && (model().find("merges") == nullptr) == is_bert);
    if (!settings_.config.is_null() || settings_.names_class) {
      if (is_model) return true;
      throw Error(where_ + ": model.type is " + quote(type) + ", and the tokenizer's class makes a " +
                  std::string(wanted) +
                  R"( (write "tokenizer_class": "PreTrainedTokenizerFast" into tokenizer_config.json))");
    }
    return is_model && (is_bert || type_of(member_of(file_, "pre_tokenizer")) == "ByteLevel");
  }

  void set(Json& object, std::string_view name, Json value) {
    const Json* const before = object.find(name);
    if (before == nullptr ? value.is_null() : is_same(*before, value)) return;
    object.set(name, std::move(value));
    is_changed_ = true;
  }

  Json::Array listed() const {
    const Json* list = file_.find("added_tokens");
    return list != nullptr && list->is_array() ? list->as_array() : Json::Array();
  }

  Json::Array add_tokens(Json::Array list) {
    Json::Array all = added_tokens_of(vocabulary_, std::move(list), settings_);
    std::ranges::stable_sort(all, {}, [](const Json& token) {
      const Json* id = token.is_object() ? token.find("id") : nullptr;
      return id != nullptr && id->is_integer() ? id->as_integer() : 0;
    });
    set(file_, "added_tokens", all);
    return all;
  }

  // The class begins with the vocabulary alone.
  Json::Array make_tokens() { return add_tokens(settings_.is_added_all ? Json::Array() : listed()); }

  void make_bert() {
    const Json::Array added = make_tokens();
    set(file_, "normalizer", bert_normalizer_json(settings_));
    set(file_, "pre_tokenizer", Json::Object{{"type", "BertPreTokenizer"}});
    set(file_, "decoder", bert_decoder_json());
    const TemplateToken first = template_token("cls_token", added, settings_),
                        last = template_token("sep_token", added, settings_);
    const Json* const post = file_.find("post_processor");
    const bool is_same_template =
        post != nullptr && is_same(*post, bert_template_json(first.surface, first.id, last.surface, last.id));
    if (!is_same_template) set(file_, "post_processor", bert_post_processor_json(first, last));
    set(model(), "unk_token", settings_.role("unk_token"));
    set(model(), "continuing_subword_prefix", "##");
    set(model(), "max_input_chars_per_word", 100);
  }

  void make_byte_level() {
    const Json::Array added = make_tokens();
    set(file_, "normalizer", nullptr);
    make_byte_level_part("pre_tokenizer");
    make_byte_level_part("decoder");
    for (const char* name : {"dropout", "unk_token"}) set(model(), name, nullptr);
    for (const char* name : {"continuing_subword_prefix", "end_of_word_suffix"}) {
      const Json* const text = model().find(name);
      if (text != nullptr && !text->is_null() && text->dump() != "\"\"") set(model(), name, nullptr);
    }
    for (const char* name : {"fuse_unk", "byte_fallback", "ignore_merges"}) {
      if (model().find(name) != nullptr) set(model(), name, false);
    }
    if (settings_.tokenizer_class == TokenizerClass::roberta) make_roberta_template(added);
  }

  // Offsets are not computed here, and the decoder begins no text with a space.
  void make_byte_level_part(const char* name) {
    const bool has_prefix = settings_.add_prefix_space;
    const Json* const part = file_.find(name);
    if (type_of(part) == "ByteLevel") {
      const auto is_true = [&](const char* member, bool otherwise) {
        const Json* value = part->find(member);
        return value != nullptr && value->is_bool() ? value->as_bool() : otherwise;
      };
      const bool is_decoder = std::string_view(name) == "decoder";
      if (is_decoder || (is_true("add_prefix_space", true) == has_prefix && is_true("use_regex", true)))
        return;
    }
    set(file_, name, byte_level_json(has_prefix));
  }

  void make_roberta_template(const Json::Array& added) {
    const TemplateToken first = template_token("cls_token", added, settings_),
                        last = template_token("sep_token", added, settings_);
    Json wanted = roberta_post_processor_json(first, last, settings_.add_prefix_space);
    const Json* const post = file_.find("post_processor");
    if (type_of(post) == "RobertaProcessing") {
      const auto has = [&](const char* member) {
        const Json *a = post->find(member), *b = wanted.find(member);
        return a != nullptr && b != nullptr && is_same(*a, *b);
      };
      if (has("sep") && has("cls")) return;
    }
    set(file_, "post_processor", std::move(wanted));
  }

  Json& file_;
  const TokenizerFolder& settings_;
  const std::string& where_;
  VocabularyIds vocabulary_;
  bool is_changed_ = false;
};

}  // namespace

bool apply_settings(Json& file, const TokenizerFolder& settings, const std::string& where) {
  if (file.is_object()) check_class_arguments(settings, file);
  return Patch(file, settings, where).apply();
}

}  // namespace headwater
