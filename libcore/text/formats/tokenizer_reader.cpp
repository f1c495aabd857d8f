// Reads a tokenizer.json (libcore/FORMATS.md) into what a Tokenizer holds.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "support/bytes.hpp"
#include "support/error.hpp"
#include "text/formats/sentencepiece_json.hpp"
#include "text/models/token_model_reader.hpp"
#include "text/models/word_level.hpp"
#include "text/tokenizer/byte_pieces.hpp"
#include "text/tokenizer/decoder.hpp"
#include "text/tokenizer/json_members.hpp"
#include "text/tokenizer/token_lines.hpp"
#include "text/tokenizer/tokenizer_impl.hpp"
#include "text/tokenizer/tokenizer_json.hpp"
#include "text/unicode/byte_level.hpp"

namespace headwater {

// Reads one tokenizer.json into an Impl.
struct TokenizerReader {
  explicit TokenizerReader(std::string_view place) : where(place) {}

  [[noreturn]] void fail(const std::string& what) const { throw Error(where + ": " + what); }

  const Json* find(std::string_view name) const {
    const Json* member = file.find(name);
    return member == nullptr || member->is_null() ? nullptr : member;
  }

  // The same, or null where it is not there.
  const Json& part_of_file(std::string_view name) const {
    static const Json kNone;
    const Json* part = find(name);
    return part == nullptr ? kNone : *part;
  }

  void read() {
    check_top();
    const Json* normalizer = find("normalizer");
    if (normalizer != nullptr && normalizer->is_object() && normalizer->find("sentencepiece") != nullptr) {
      std::string bytes;
      try {
        bytes = from_base64(normalizer->at("sentencepiece").as_string());
      } catch (const Error& error) {
        fail(std::string("normalizer.sentencepiece: ") + error.what());
      }
      read_sentencepiece(bytes);
      return;
    }
    read_added_tokens();
    find_byte_tokens();
    find_tokens_in_text();
    read_model();
    place_added_tokens();
    find_special_ids();
    note_what_is_not_applied();
    if (const Json* post = find("post_processor"); post != nullptr)
      impl.post_processor = PostProcessor(*post, surfaces, where + ": post_processor");
    make_vocabulary();
    read_decoding();
    if (!read_words()) read_encoding();
  }

  void make_vocabulary() {
    impl.vocabulary = std::make_shared<const Vocabulary>(std::move(surfaces), special, unknown_id, in_text);
    impl.hash = impl.vocabulary->hash();
  }

  void check_top() {
    static constexpr std::string_view kKnown[] = {"version",        "truncation", "padding",
                                                  "added_tokens",   "normalizer", "pre_tokenizer",
                                                  "post_processor", "decoder",    "model"};
    if (!file.is_object()) fail("expected an object");
    if (find("model") == nullptr && find("config") != nullptr)
      fail(
          "a tokenizer of another program (tekken), which is not read (in Python: "
          "AutoTokenizer.from_pretrained(DIR).save_pretrained(NEW) writes a tokenizer.json)");
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

  // A .model: the file itself, or the member that holds it in what to_json gives for it.
  SentencePiece read_sentencepiece(std::string_view bytes) {
    using Type = SentencePieceFile::Type;
    SentencePiece read(read_sentencepiece_file(bytes, where), where);
    const SentencePieceFile& model = read.file();
    surfaces.reserve(model.pieces.size());
    for (const SentencePieceFile::Piece& piece : model.pieces) {
      const auto id = static_cast<std::int32_t>(surfaces.size());
      surfaces.push_back(piece.surface);
      if (piece.type == Type::control || piece.type == Type::unknown) special.push_back(id);
      if (piece.type != Type::control) continue;
      if (piece.surface == model.pad_piece) impl.pad_id = id;
      if (piece.surface == model.start_piece) impl.start_id = id;
      if (piece.surface == model.end_piece) impl.end_id = id;
    }
    unknown_id = read.unknown_id();
    make_vocabulary();
    impl.encoding = sentencepiece_encoding(read, impl.vocabulary);
    impl.decoding = sentencepiece_decoding(read);
    impl.model_type = model.algorithm == SentencePieceFile::Algorithm::unigram ? "Unigram" : "BPE";
    return read;
  }

  void read_model() {
    const Json& model = json_member(file, "model", where);
    ModelOfFile of_file = read_token_model({model, where + ": model", hidden_surfaces});
    surfaces = std::move(of_file.surfaces);
    model_size = static_cast<std::int32_t>(surfaces.size());
    unknown_id = of_file.unknown_id;
    token_model = std::move(of_file.model);
    const Json* type = model.find("type");
    if (type == nullptr) {
      if (model.find("merges") != nullptr) impl.model_type = "BPE";  // as old files are
    } else {
      impl.model_type = type->as_string();
    }
  }

  // Tokens that stand for one byte, and that added_tokens calls special: those of byte fallback, which no
  // text spells, and characters of ByteLevel's alphabet. Text is made of them where it has no other piece.
  void find_byte_tokens() {
    const Json* model = find("model");
    if (model == nullptr || !model->is_object()) return;
    const Json* fallback = model->find("byte_fallback");
    const bool has_fallback = fallback != nullptr && fallback->is_bool() && fallback->as_bool();
    const bool is_byte_level = has_byte_level(find("normalizer")) || has_byte_level(find("pre_tokenizer"));
    const Json* suffix = model->find("end_of_word_suffix");
    for (const std::string& surface : special_surfaces) {
      std::string_view symbol = surface;
      if (suffix != nullptr && suffix->is_string() && symbol.ends_with(suffix->as_string()))
        symbol.remove_suffix(suffix->as_string().size());
      std::string bytes;
      const bool is_symbol = is_byte_level && append_byte_level_bytes(symbol, bytes) && bytes.size() == 1;
      if (is_symbol || (has_fallback && byte_of_surface(surface) >= 0)) byte_tokens.insert(surface);
      if (!is_symbol) hidden_surfaces.insert(surface);
    }
  }

  // Special tokens that the file says to be found in text, but for bytes, and those that the model may give.
  void find_tokens_in_text() {
    for (const Added& token : added) {
      if (token.is_split) hidden_surfaces.erase(token.content);
      if (!token.in_text || byte_tokens.contains(token.content)) continue;
      special_surfaces.erase(token.content);
      hidden_surfaces.erase(token.content);
    }
  }

  static bool has_byte_level(const Json* part) {
    if (part == nullptr || !part->is_object()) return false;
    const Json* type = part->find("type");
    if (type != nullptr && type->is_string() && type->as_string() == "ByteLevel") return true;
    for (const char* name : {"normalizers", "pretokenizers"}) {
      const Json* inner = part->find(name);
      if (inner == nullptr || !inner->is_array()) continue;
      const Json::Array& parts = inner->as_array();
      if (std::any_of(parts.begin(), parts.end(), [](const Json& one) { return has_byte_level(&one); }))
        return true;
    }
    return false;
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
      check_members(token,
                    {"id", "content", "single_word", "lstrip", "rstrip", "normalized", "special",
                     kInTextMember, kSplitMember},
                    here);
      const std::string& content = json_string(token, "content", here);
      added.push_back({.member = member,
                       .content = content,
                       .id = json_member(token, "id", here),
                       .is_special = json_bool(token, "special", here),
                       .in_text = json_bool_or(token, kInTextMember, false, here),
                       .is_split = json_bool_or(token, kSplitMember, false, here),
                       .single_word = json_bool(token, "single_word", here),
                       .lstrip = json_bool(token, "lstrip", here),
                       .rstrip = json_bool(token, "rstrip", here),
                       .normalized = json_bool(token, "normalized", here)});
      if (added.back().is_special) special_surfaces.insert(content);
    }
  }

  // Added tokens stand in the vocabulary or behind it.
  void place_added_tokens() {
    WordTable known;  // surface -> id + 1
    if (!added.empty()) {
      for (std::size_t id = 0; id < surfaces.size(); ++id) known.value(surfaces[id]) = id + 1;
    }
    for (const Added& token : added) {
      const auto& [member, content, id] = std::tie(token.member, token.content, token.id);
      if (content.empty()) fail(member + ": an empty token");
      if (breaks_lines(content) && token.is_special)
        fail(member + ": the token " + quote(content) + kBreaksLines);
      if (content.size() > kMostAddedBytes)
        fail(member + ": more than " + std::to_string(kMostAddedBytes) + " bytes in one token");
      const auto size = static_cast<std::int64_t>(surfaces.size());
      std::uint64_t& known_id = known.value(content);
      if (id.is_integer() && id.as_integer() == size && known_id == 0) {
        surfaces.push_back(content);
        known_id = surfaces.size();
      } else if (!id.is_unsigned() || known_id != id.as_unsigned() + 1) {
        fail(member + ": the id of " + quote(content) + " does not agree with the vocabulary");
      }
      if (!token.is_special) continue;
      special.push_back(static_cast<std::int32_t>(id.as_integer()));
      if (token.is_split || !special_surfaces.contains(content)) in_text.push_back(special.back());
    }
  }

  // Those that text gives, and those whose spelling stays text; after the normalizer.
  void read_tokens_in_text(EncodingParts& parts) const {
    if (!has_tokens_in_text()) return;
    std::vector<AddedToken> as_they_are, normalized;
    std::map<std::string, const Added*> forms;
    for (const Added& token : added) {
      const bool is_given = !special_surfaces.contains(token.content);
      if (!is_given && !token.is_split) continue;
      AddedToken found{token.content, is_given ? static_cast<std::int32_t>(token.id.as_integer()) : -1,
                       token.single_word, token.lstrip, token.rstrip};
      if (token.normalized) {
        found.content = parts.normalizer.apply(token.content);
        const auto [other, is_new] = forms.emplace(found.content, &token);
        if (!is_new)  // which of the two a text gives, the library leaves to chance
          fail(token.member + ": the normalizer makes " + quote(token.content) + " and " +
               quote(other->second->content) + " the same (remove one of them)");
      }
      if (!found.content.empty()) (token.normalized ? normalized : as_they_are).push_back(std::move(found));
    }
    parts.added = AddedTokens(std::move(as_they_are));
    parts.added_normalized = AddedTokens(std::move(normalized));
  }

  // The first of the names that is a special token, or -1.
  std::int32_t special_of(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names) {
      for (const std::int32_t id : special) {
        if (surfaces[id] == name) return id;
      }
    }
    return -1;
  }

  // The token with a role, which need not be special; without one, special_of(names).
  std::int32_t token_of_role(const std::string& role, std::initializer_list<std::string_view> names) const {
    const auto at = std::ranges::find(added, role, &Added::content);
    return at == added.end() ? special_of(names) : static_cast<std::int32_t>(at->id.as_integer());
  }

  void find_special_ids() {
    impl.pad_id = token_of_role(roles.pad, {kPadToken, "<pad>"});
    impl.start_id =
        token_of_role(roles.start, {kStartToken, "<s>", "[CLS]", "<|startoftext|>", "<|endoftext|>"});
    impl.end_id = token_of_role(roles.end, {kEndToken, "</s>", "[SEP]", "<|endoftext|>"});
    // A byte is text, unless it has a role.
    std::erase_if(special, [&](std::int32_t id) {
      return id < model_size && id != impl.pad_id && id != impl.start_id && id != impl.end_id &&
             byte_tokens.contains(surfaces[id]);
    });
    if (unknown_id >= 0) special.push_back(unknown_id);
  }

  void note_what_is_not_applied() {
    for (const char* name : {"truncation", "padding"}) {
      const Json* member = find(name);
      if (member == nullptr) continue;
      if (!member->is_object()) fail(std::string(name) + ": expected an object or null");
      impl.warnings.push_back(where + ": " + name + " is not applied");
      const Json* side = member->find("direction");
      if (std::string_view(name) == "truncation" && side != nullptr)
        impl.truncates_left = side->is_string() && side->as_string() == "Left";
    }
  }

  // That of our own files is done without parts: it knows more of unknown words.
  void read_decoding() {
    const Json& part = part_of_file("decoder");
    const std::string text = part.dump();
    const bool is_characters = text == decoder_json(SplitKind::character).dump();
    Separators separators;
    separators.drops_first_space = text == decoder_json(SplitKind::word_and_punctuation).dump();
    if (is_characters || separators.drops_first_space) separators.between.clear();
    if (is_characters) separators.before_unknown.clear();
    if (part.is_null() || is_characters || separators.drops_first_space) {
      impl.decoding = separator_decoding(std::move(separators), impl.vocabulary);
      return;
    }
    decoder.emplace(part, where + ": decoder");
    impl.decoding = decoder_decoding(*decoder, impl.vocabulary);
  }

  bool has_tokens_in_text() const {
    return std::any_of(added.begin(), added.end(),
                       [&](const Added& token) { return !special_surfaces.contains(token.content); });
  }

  bool has_normalized_tokens() const {
    return std::ranges::any_of(added, [&](const Added& token) {
      return token.normalized && !special_surfaces.contains(token.content);
    });
  }

  // Our own standardisation and splitting, where the parts are those that we write for them. False where they
  // are others.
  bool read_words() {
    if (dynamic_cast<const WordLevel*>(token_model.get()) == nullptr || has_normalized_tokens()) return false;
    const std::string normalizer = part_of_file("normalizer").dump(),
                      pre_tokenizer = part_of_file("pre_tokenizer").dump();
    for (const SplitKind split : {SplitKind::word, SplitKind::character, SplitKind::word_and_punctuation}) {
      if (pre_tokenizer_json(split).dump() != pre_tokenizer) continue;
      for (const Standardization standardization : kAllStandardizations) {
        for (const auto lowering : {Lowering::ascii, Lowering::unicode}) {
          const StandardizeSettings settings{standardization, lowering};
          if (normalizer_json(settings, split).dump() != normalizer) continue;
          EncodingParts parts;
          read_tokens_in_text(parts);
          impl.encoding = word_encoding(settings, split, std::move(parts.added), impl.vocabulary);
          return true;
        }
      }
    }
    return false;
  }

  // Any other parts, as they stand in the file.
  void read_encoding() {
    const Json &normalizer = part_of_file("normalizer"), &pre_tokenizer = part_of_file("pre_tokenizer");
    EncodingParts parts;
    parts.normalizer = Normalizer(normalizer, where + ": normalizer");
    if (!normalizer.is_null() && decoder.has_value()) {
      parts.make_plain_normalizer = [normalizer, undoes = *decoder] {
        return Normalizer(readable_normalizer(normalizer, undoes), "normalizer");
      };
    }
    parts.pre_tokenizer = PreTokenizer(pre_tokenizer, where + ": pre_tokenizer");
    parts.model = token_model;
    if (!has_tokens_in_text()) parts.fused_encoder = token_model->fused_encoder(normalizer, pre_tokenizer);
    read_tokens_in_text(parts);
    impl.encoding = part_encoding(std::move(parts), impl.vocabulary);
  }

  std::string where;
  SpecialTokenRoles roles;
  Json file;
  Tokenizer::Impl impl;
  std::shared_ptr<const TokenModel> token_model;
  std::optional<TokenDecoder> decoder;
  std::int32_t unknown_id = -1;
  struct Added {
    std::string member, content;
    Json id;
    bool is_special, in_text, is_split, single_word, lstrip, rstrip, normalized;
  };
  std::vector<Added> added;
  // Special tokens that no text gives; those that the model does not find; those that stand for one byte.
  std::set<std::string, std::less<>> special_surfaces, hidden_surfaces, byte_tokens;
  std::vector<std::string> surfaces;
  std::int32_t model_size = 0;                 // tokens that the model has; added ones may follow
  std::vector<std::int32_t> special, in_text;  // the second: those of them that text gives
};

Tokenizer Tokenizer::parse(std::string_view json, std::string_view where) {
  return parse_with_roles(json, where, {});
}

Tokenizer Tokenizer::parse_with_roles(std::string_view json, std::string_view where,
                                      const SpecialTokenRoles& roles) {
  TokenizerReader reader{where};
  reader.roles = roles;
  if (is_sentencepiece_file(json, where)) {
    const SentencePiece read = reader.read_sentencepiece(json);
    reader.impl.make_json = [read, bytes = std::string(json), place = std::string(where)] {
      return sentencepiece_json(read.file(), bytes, place);
    };
  } else {
    reader.file = parse_tokenizer_file(json, where);
    reader.read();
    reader.impl.json = json;
  }
  return Tokenizer(std::make_shared<const Impl>(std::move(reader.impl)));
}

}  // namespace headwater
