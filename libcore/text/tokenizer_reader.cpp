// Reads a tokenizer.json (libcore/FORMATS.md) into what a Tokenizer holds.
#include <algorithm>
#include <set>

#include "support/error.hpp"
#include "text/json_members.hpp"
#include "text/token_lines.hpp"
#include "text/token_model_reader.hpp"
#include "text/tokenizer_impl.hpp"
#include "text/tokenizer_json.hpp"
#include "text/word_level.hpp"

namespace headwater {

// Reads one tokenizer.json into an Impl.
struct TokenizerReader {
  explicit TokenizerReader(std::string_view place) : where(place) {}

  [[noreturn]] void fail(const std::string& what) const { throw Error(where + ": " + what); }

  const Json* find(std::string_view name) const {
    const Json* member = file.find(name);
    return member == nullptr || member->is_null() ? nullptr : member;
  }

  void check_top() {
    static constexpr std::string_view kKnown[] = {"version",        "truncation", "padding",
                                                  "added_tokens",   "normalizer", "pre_tokenizer",
                                                  "post_processor", "decoder",    "model"};
    if (!file.is_object()) fail("expected an object");
    for (const auto& [name, value] : file.as_object()) {
      if (std::find(std::begin(kKnown), std::end(kKnown), name) == std::end(kKnown)) {
        impl.warnings.push_back(where + ": unknown member " + quote(name) + " is ignored");
      }
    }
    const Json* version = file.find("version");
    if (version != nullptr && !(version->is_string() && version->as_string() == "1.0")) {
      fail("version: expected \"1.0\"");
    }
  }

  void read_model() {
    const Json& model = json_member(file, "model", where);
    ModelOfFile of_file = read_token_model({model, where + ": model", special_surfaces});
    surfaces = std::move(of_file.surfaces);
    impl.unknown_id = of_file.unknown_id;
    impl.model = std::move(of_file.model);
  }

  // Before the model, which is told what text never gives.
  void read_added_tokens() {
    const Json* list = find("added_tokens");
    if (list == nullptr) return;
    if (!list->is_array()) fail("added_tokens: expected an array");
    for (std::size_t i = 0; i < list->as_array().size(); ++i) {
      const Json& token = list->as_array()[i];
      const std::string member = "added_tokens[" + std::to_string(i) + "]";
      const std::string here = where + ": " + member;
      check_members(token, {"id", "content", "single_word", "lstrip", "rstrip", "normalized", "special"},
                    here);
      const std::string& content = json_string(token, "content", here);
      if (!json_bool(token, "special", here)) {
        fail(member + ": " + quote(content) + " is not special; only special added tokens are supported");
      }
      added.push_back({member, content, json_member(token, "id", here)});
      special_surfaces.insert(content);
    }
  }

  // Added tokens stand in the vocabulary or behind it.
  void place_added_tokens() {
    for (const auto& [member, content, id] : added) {
      if (content.empty()) fail(member + ": an empty token");
      if (breaks_lines(content)) fail(member + ": the token " + quote(content) + kBreaksLines);
      const auto size = static_cast<std::int64_t>(surfaces.size());
      if (id.is_integer() && id.as_integer() == size) {
        surfaces.push_back(content);
      } else if (!id.is_integer() || id.as_integer() < 0 || id.as_integer() > size ||
                 surfaces[static_cast<std::size_t>(id.as_integer())] != content) {
        fail(member + ": the id of " + quote(content) + " does not agree with the vocabulary");
      }
      special.push_back(static_cast<std::int32_t>(id.as_integer()));
    }
  }

  void find_special_ids() {
    for (const std::int32_t id : special) {
      const std::string& surface = surfaces[static_cast<std::size_t>(id)];
      if (surface == kPadToken) impl.pad_id = id;
      if (surface == kStartToken) impl.start_id = id;
      if (surface == kEndToken) impl.end_id = id;
    }
    if (impl.unknown_id >= 0) special.push_back(impl.unknown_id);
  }

  void read_decoder(const Json& decoder) {
    const std::string& type = json_string(decoder, "type", where + ": decoder");
    impl.drops_first_space = type == "Sequence";
    if (type != "Fuse" && type != "Sequence")
      fail("decoder: unsupported type " + quote(type) + " (supported: Fuse, Fuse and Strip, or null)");
    if (impl.drops_first_space && decoder.dump() != decoder_json(SplitKind::word_and_punctuation).dump())
      fail("decoder: unsupported sequence (supported: Fuse, then Strip of one space at the start)");
    impl.separator.clear();
    if (!impl.drops_first_space) impl.unknown_separator.clear();
  }

  void read_parts() {
    for (const char* name : {"truncation", "padding", "post_processor"}) {
      if (find(name) != nullptr)
        fail(std::string(name) + ": only null is supported for word tokenizers (set it to null)");
    }
    const Json* normalizer = find("normalizer");
    const Json* pre_tokenizer = find("pre_tokenizer");
    const Json* decoder = find("decoder");
    if (decoder != nullptr) read_decoder(*decoder);
    const auto dump = [](const Json* part) { return part == nullptr ? Json().dump() : part->dump(); };
    const std::string normalizer_text = dump(normalizer), pre_tokenizer_text = dump(pre_tokenizer);
    const bool is_word_level = dynamic_cast<const WordLevel*>(impl.model.get()) != nullptr;
    for (const SplitKind split : {SplitKind::word, SplitKind::character, SplitKind::word_and_punctuation}) {
      if (!is_word_level || pre_tokenizer_json(split).dump() != pre_tokenizer_text) continue;
      for (const Standardization standardization : kAllStandardizations) {
        for (const auto lowering : {Lowering::ascii, Lowering::unicode}) {
          const StandardizeSettings settings{standardization, lowering};
          if (normalizer_json(settings, split).dump() != normalizer_text) continue;
          impl.is_native = true;
          impl.standardize = settings;
          impl.split = split;
          impl.map = byte_map(settings, split);
          return;
        }
      }
    }
    impl.normalizer = Normalizer(normalizer == nullptr ? Json() : *normalizer, where + ": normalizer");
    impl.pre_tokenizer =
        PreTokenizer(pre_tokenizer == nullptr ? Json() : *pre_tokenizer, where + ": pre_tokenizer");
    impl.text_encoder = impl.model->text_encoder(normalizer == nullptr ? Json() : *normalizer,
                                                 pre_tokenizer == nullptr ? Json() : *pre_tokenizer);
  }

  std::string where;
  Json file;
  Tokenizer::Impl impl;
  struct Added {
    std::string member, content;
    Json id;
  };
  std::vector<Added> added;
  std::set<std::string, std::less<>> special_surfaces;
  std::vector<std::string> surfaces;
  std::vector<std::int32_t> special;
};

Tokenizer Tokenizer::parse(std::string_view json, std::string_view where) {
  TokenizerReader reader{where};
  reader.file = Json::parse(json, where);
  reader.check_top();
  reader.read_added_tokens();
  reader.read_model();
  reader.place_added_tokens();
  reader.find_special_ids();
  reader.read_parts();
  reader.impl.vocabulary = Vocabulary(std::move(reader.surfaces), reader.special);
  reader.impl.hash = reader.impl.vocabulary.hash();
  reader.impl.json = json;
  return Tokenizer(std::make_shared<const Impl>(std::move(reader.impl)));
}

}  // namespace headwater
