#include "text/formats/marian_tokenizer.hpp"

#include <algorithm>
#include <map>

#include "support/error.hpp"
#include "support/files.hpp"
#include "support/json.hpp"
#include "text/formats/class_parts.hpp"
#include "text/formats/sentencepiece.hpp"
#include "text/tokenizer/token_lines.hpp"
#include "text/tokenizer/tokenizer_impl.hpp"

namespace headwater {

namespace {

// A whole text is one piece to this model.
class MarianPieces : public TokenModel {
 public:
  using Codes = std::map<std::string, std::int32_t, std::less<>>;
  MarianPieces(SentencePiece pieces, std::vector<std::int32_t> id_of, Codes codes, std::int32_t unknown_id)
      : pieces_(std::move(pieces)),
        id_of_(std::move(id_of)),
        codes_(std::move(codes)),
        unknown_id_(unknown_id) {}

  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override {
    const auto cut = [&](std::string_view normal, std::vector<std::int32_t>& to) {
      pieces_.encode(normal, to);
    };
    encode_with(text, ids, cut);
  }
  void sample(std::string_view text, const SubwordSampling& sampling, SampleCounter& random,
              std::vector<std::int32_t>& ids) const override {
    const auto cut = [&](std::string_view normal, std::vector<std::int32_t>& to) {
      pieces_.sample(normal, sampling, random, to);
    };
    encode_with(text, ids, cut);
  }

 private:
  template <class Cut>
  void encode_with(std::string_view text, std::vector<std::int32_t>& ids, const Cut& cut) const {
    const std::size_t end = text.starts_with(">>") ? text.find("<<") : text.npos;
    if (end != text.npos) {
      const auto code = codes_.find(text.substr(0, end + 2));
      ids.push_back(code == codes_.end() ? unknown_id_ : code->second);
      text.remove_prefix(end + 2);
    }
    const std::size_t begin = ids.size();
    cut(pieces_.normalize(text), ids);
    for (std::size_t i = begin; i < ids.size(); ++i) ids[i] = id_of_[ids[i]];
  }

  SentencePiece pieces_;
  std::vector<std::int32_t> id_of_;  // of each id of SentencePiece
  Codes codes_;                      // ">>fra<<"
  std::int32_t unknown_id_;
};

}  // namespace

MarianVocabulary read_marian_vocabulary(const std::filesystem::path& path) {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 27;
  const Json file = Json::parse(read_file(path, kMaxBytes), path.string());
  const auto fail = [&](const std::string& what) { throw Error(path.string() + ": " + what); };
  if (!file.is_object()) fail("expected an object of tokens with their ids");
  std::vector<std::string> surfaces(file.as_object().size());
  for (const auto& [surface, id] : file.as_object()) {
    const std::string name = "the token " + quote(surface);
    if (surface.empty()) fail("an empty token");
    if (breaks_lines(surface)) fail(name + kBreaksLines);
    if (!id.is_integer() || id.as_integer() < 0 ||
        id.as_integer() >= static_cast<std::int64_t>(surfaces.size()))
      fail(name + " has an id that is not in 0 to " + std::to_string(surfaces.size() - 1));
    std::string& place = surfaces[id.as_integer()];
    if (!place.empty()) fail(name + " has the id of " + quote(place));
    place = surface;
  }
  return {std::move(surfaces), path};
}

// transformers' clean_up_tokenization(), of the whole text.
static Json marian_decoder(bool cleans_up) {
  Json::Array steps;
  steps.push_back(
      Json::Object{{"type", "Metaspace"}, {"replacement", "\xE2\x96\x81"}, {"prepend_scheme", "always"}});
  if (!cleans_up) return steps.front();
  steps.push_back(Json::Object{{"type", "Fuse"}});
  constexpr std::pair<const char*, const char*> kCleaned[] = {
      {" .", "."},     {" ?", "?"},   {" !", "!"},   {" ,", ","},     {" ' ", "'"},
      {" n't", "n't"}, {" 'm", "'m"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (const auto& [before, after] : kCleaned) {
    steps.push_back(
        Json::Object{{"type", "Replace"}, {"pattern", Json::Object{{"String", before}}}, {"content", after}});
  }
  return Json::Object{{"type", "Sequence"}, {"decoders", std::move(steps)}};
}

struct MarianTokenizer {
  static Tokenizer load(const std::filesystem::path& pieces_path, MarianVocabulary vocabulary,
                        bool cleans_up) {
    Tokenizer::Impl impl;
    const std::filesystem::path& path = vocabulary.path;
    std::vector<std::string>& surfaces = vocabulary.surfaces;
    std::vector<std::int32_t> special;
    const auto find = [&](std::string_view surface) {
      const auto at = std::find(surfaces.begin(), surfaces.end(), surface);
      if (at == surfaces.end()) return -1;
      special.push_back(static_cast<std::int32_t>(at - surfaces.begin()));
      return special.back();
    };
    const std::int32_t unknown_id = find("<unk>");
    impl.end_id = find("</s>");
    impl.pad_id = find("<pad>");
    if (unknown_id < 0 || impl.end_id < 0) throw Error(path.string() + ": has no <unk> and </s>");
    MarianPieces::Codes codes;
    for (std::size_t id = 0; id < surfaces.size(); ++id) {
      if (surfaces[id].starts_with(">>")) codes.emplace(surfaces[id], static_cast<std::int32_t>(id));
    }
    impl.vocabulary = std::make_shared<const Vocabulary>(std::move(surfaces), special, unknown_id);
    const SentencePiece pieces(read_sentencepiece_file(read_file(pieces_path), pieces_path.string()),
                               pieces_path.string());
    std::vector<std::int32_t> id_of;
    for (const SentencePieceFile::Piece& piece : pieces.file().pieces) {
      const std::int32_t id = impl.vocabulary->find(piece.surface);
      id_of.push_back(id >= 0 ? id : unknown_id);
    }
    EncodingParts parts;
    parts.model = std::make_shared<MarianPieces>(pieces, std::move(id_of), std::move(codes), unknown_id);
    impl.encoding = part_encoding(std::move(parts), impl.vocabulary);
    const Json decoder = marian_decoder(cleans_up);
    impl.decoding = decoder_decoding(TokenDecoder(decoder, path.string()), impl.vocabulary);
    impl.hash = impl.vocabulary->hash();
    return Tokenizer(std::make_shared<const Tokenizer::Impl>(std::move(impl)));
  }
};

Tokenizer load_marian_tokenizer(const std::filesystem::path& pieces, MarianVocabulary vocabulary,
                                bool cleans_up) {
  return MarianTokenizer::load(pieces, std::move(vocabulary), cleans_up);
}

void check_marian_roles(const TokenizerFolder& beside, const MarianVocabulary& vocabulary) {
  constexpr std::pair<const char*, std::string_view> kRoles[] = {
      {"unk_token", "<unk>"}, {"eos_token", "</s>"}, {"pad_token", "<pad>"}};
  constexpr std::string_view kClass = "MarianTokenizer";
  if (!beside.class_name.empty() && beside.class_name != kClass)
    throw Error(beside.config_path() + ": \"tokenizer_class\" is " + quote(beside.class_name) +
                ", expected " + quote(kClass) + ", which reads source.spm");
  for (const auto& [role, surface] : kRoles) {
    const auto said = beside.roles.find(role);
    if (said != beside.roles.end() && said->second != surface)
      throw Error(beside.config_path() + ": " + quote(role) + " is " + quote(said->second) + ", expected " +
                  quote(surface));
  }
  for (const Json& token : beside.added) {
    const std::size_t id = token.at("id").as_integer();
    const std::string& surface = token.at("content").as_string();
    if (id < vocabulary.surfaces.size() && vocabulary.surfaces[id] != surface)
      throw Error(beside.added_where + ": the id " + std::to_string(id) + " of " + quote(surface) +
                  " is not that of " + vocabulary.path.string() + " (save the model without added tokens)");
    if (!token.at("special").as_bool())
      throw Error(beside.added_where + ": " + quote(surface) +
                  " is not special, and none but special tokens are read beside source.spm");
  }
  if (const std::string surface = special_without_role(beside); !surface.empty())
    throw Error(beside.config_path() + ": the special token " + quote(surface) +
                " can stand in a text, where beside source.spm none is found (save the model without it)");
}

}  // namespace headwater
