#include "text/tokenizer_json.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "text/token_lines.hpp"
#include "text/tokenizer_impl.hpp"

namespace headwater {
namespace {

// The characters stand themselves in the expression: engines differ in what \v means.
constexpr const char* kWhiteSpaceRun = "[ \t\n\v\f\r]+";

Json replace_json(const char* pattern_kind, std::string pattern, std::string content) {
  return Json::Object{{"type", "Replace"},
                      {"pattern", Json::Object{{pattern_kind, std::move(pattern)}}},
                      {"content", std::move(content)}};
}

}  // namespace

Json normalizer_json(const StandardizeSettings& settings, SplitKind split) {
  Json::Array parts;
  if (settings.lowers() && settings.lower == Lowering::unicode) {
    parts.push_back(Json::Object{{"type", "Lowercase"}});
  } else if (settings.lowers()) {
    for (char c = 'A'; c <= 'Z'; ++c) {
      parts.push_back(replace_json("String", std::string(1, c), std::string(1, static_cast<char>(c + 32))));
    }
  }
  if (settings.strips_unicode()) {
    parts.push_back(replace_json(
        "Regex", "(?<!\\p{Nd})[.,]|[.,](?!\\p{Nd})|(?![.,])[\\p{P}\\p{Sc}\\p{Sm}^`\u00A8\u00AF\u00B4\u00B8]",
        ""));
  }
  if (settings.strips_ascii()) {
    parts.push_back(replace_json("Regex", R"([\x21-\x2F\x3A-\x40\x5B-\x60\x7B-\x7E])", ""));
  }
  if (split == SplitKind::word_and_punctuation) {  // one space before each word, before the first too
    parts.push_back(replace_json("Regex", kWhiteSpaceRun, " "));
    parts.push_back(replace_json("Regex", R"(\A | \z)", ""));
    parts.push_back(Json::Object{{"type", "Prepend"}, {"prepend", " "}});
  }
  if (parts.empty()) return nullptr;
  return Json::Object{{"type", "Sequence"}, {"normalizers", std::move(parts)}};
}

Json pre_tokenizer_json(SplitKind split) {
  const char* const pattern = split == SplitKind::word        ? kWhiteSpaceRun
                              : split == SplitKind::character ? R"([\s\S])"
                                                              : R"( ?(?:[\p{P}\p{S}]|[^ \p{P}\p{S}]+))";
  return Json::Object{{"type", "Split"},
                      {"pattern", Json::Object{{"Regex", pattern}}},
                      {"behavior", split == SplitKind::word ? "Removed" : "Isolated"},
                      {"invert", false}};
}

Json decoder_json(SplitKind split) {
  if (split == SplitKind::word) return nullptr;  // joined by spaces
  Json fuse = Json::Object{{"type", "Fuse"}};
  if (split == SplitKind::character) return fuse;
  Json strip = Json::Object{{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}};
  return Json::Object{{"type", "Sequence"}, {"decoders", Json::Array{std::move(fuse), std::move(strip)}}};
}

std::string word_tokenizer_json(const StandardizeSettings& settings, SplitKind split,
                                const std::vector<std::string>& surfaces, std::size_t special_count) {
  Json::Array added;
  Json::Object vocabulary;
  for (std::size_t id = 0; id < surfaces.size(); ++id) {
    vocabulary.emplace_back(surfaces[id], static_cast<std::int64_t>(id));
    if (id < special_count) {
      added.push_back(Json::Object{{"id", static_cast<std::int64_t>(id)},
                                   {"content", surfaces[id]},
                                   {"single_word", false},
                                   {"lstrip", false},
                                   {"rstrip", false},
                                   {"normalized", false},
                                   {"special", true}});
    }
  }
  const Json file = Json::Object{
      {"version", "1.0"},
      {"truncation", nullptr},
      {"padding", nullptr},
      {"added_tokens", std::move(added)},
      {"normalizer", normalizer_json(settings, split)},
      {"pre_tokenizer", pre_tokenizer_json(split)},
      {"post_processor", nullptr},
      {"decoder", decoder_json(split)},
      {"model",
       Json::Object{{"type", "WordLevel"}, {"vocab", std::move(vocabulary)}, {"unk_token", surfaces.at(1)}}},
  };
  return file.dump(2) + "\n";
}

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

  void read_vocabulary() {
    const Json& model = json_member(file, "model", where);
    const std::string here = where + ": model";
    if (!model.is_object()) fail("model: expected an object");
    const bool has_type = model.find("type") != nullptr;
    // Files of old versions have no type: merges are BPE's, a list of pairs is Unigram's.
    const std::string type = has_type                          ? json_string(model, "type", here)
                             : model.find("merges") != nullptr ? "BPE"
                             : model.find("unk_id") != nullptr ? "Unigram"
                             : model.find("max_input_chars_per_word") != nullptr ? "WordPiece"
                                                                                 : "WordLevel";
    if (type != "WordLevel") fail("model: unsupported type " + quote(type) + " (supported: WordLevel)");
    check_members(model, {"type", "vocab", "unk_token"}, here);
    unknown_token = json_string(model, "unk_token", here);
    const Json& vocab = json_member(model, "vocab", here);
    if (!vocab.is_object()) fail("model.vocab: expected an object");
    surfaces.resize(vocab.as_object().size());
    is_taken.resize(surfaces.size());
    for (const auto& [surface, id] : vocab.as_object()) place_surface(surface, id, "model.vocab");
  }

  void place_surface(const std::string& surface, const Json& id, const char* member) {
    if (surface.empty()) fail(std::string(member) + ": an empty token");
    if (breaks_lines(surface)) fail(std::string(member) + ": the token " + quote(surface) + kBreaksLines);
    if (!id.is_integer() || id.as_integer() < 0 ||
        static_cast<std::uint64_t>(id.as_integer()) >= surfaces.size()) {
      fail(std::string(member) + ": the id of " + quote(surface) + " is not in 0 .. " +
           std::to_string(surfaces.size() - 1) + " (ids have no gaps)");
    }
    const auto at = static_cast<std::size_t>(id.as_integer());
    if (is_taken[at]) fail(std::string(member) + ": id " + std::to_string(at) + " stands twice");
    is_taken[at] = true;
    surfaces[at] = surface;
  }

  void read_added_tokens() {
    const Json* added = find("added_tokens");
    if (added == nullptr) return;
    if (!added->is_array()) fail("added_tokens: expected an array");
    for (std::size_t i = 0; i < added->as_array().size(); ++i) {
      const Json& token = added->as_array()[i];
      const std::string member = "added_tokens[" + std::to_string(i) + "]";
      const std::string here = where + ": " + member;
      check_members(token, {"id", "content", "single_word", "lstrip", "rstrip", "normalized", "special"},
                    here);
      const std::string& content = json_string(token, "content", here);
      if (!json_bool(token, "special", here)) {
        fail(member + ": " + quote(content) + " is not special; only special added tokens are supported");
      }
      const Json& id = json_member(token, "id", here);
      if (id.is_integer() && id.as_integer() == static_cast<std::int64_t>(surfaces.size())) {
        surfaces.emplace_back();
        is_taken.push_back(false);
        place_surface(content, id, member.c_str());
      } else if (!id.is_integer() || id.as_integer() < 0 ||
                 id.as_integer() > static_cast<std::int64_t>(surfaces.size()) ||
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
    const auto unknown = std::find(surfaces.begin(), surfaces.end(), unknown_token);
    if (unknown == surfaces.end())
      fail("model.unk_token: " + quote(unknown_token) + " is not in the vocabulary");
    impl.unknown_id = static_cast<std::int32_t>(unknown - surfaces.begin());
    special.push_back(impl.unknown_id);
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
    for (const SplitKind split : {SplitKind::word, SplitKind::character, SplitKind::word_and_punctuation}) {
      if (pre_tokenizer_json(split).dump() != pre_tokenizer_text) continue;
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
  }

  std::string where;
  Json file;
  Tokenizer::Impl impl;
  std::vector<std::string> surfaces;
  std::vector<bool> is_taken;
  std::vector<std::int32_t> special;
  std::string unknown_token;
};

Tokenizer Tokenizer::parse(std::string_view json, std::string_view where) {
  TokenizerReader reader{where};
  reader.file = Json::parse(json, where);
  reader.check_top();
  reader.read_vocabulary();
  reader.read_added_tokens();
  reader.find_special_ids();
  reader.read_parts();
  reader.impl.vocabulary = Vocabulary(std::move(reader.surfaces), reader.special);
  reader.impl.hash = reader.impl.vocabulary.hash();
  reader.impl.json = json;
  return Tokenizer(std::make_shared<const Impl>(std::move(reader.impl)));
}

}  // namespace headwater
