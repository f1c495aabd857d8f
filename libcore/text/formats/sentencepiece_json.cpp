#include "text/formats/sentencepiece_json.hpp"

#include <algorithm>
#include <utility>

#include "support/bytes.hpp"
#include "support/error.hpp"
#include "text/tokenizer/tokenizer_json.hpp"
#include "text/tokenizer/unknown_pieces.hpp"
#include "text/tokenizer/word_cuts.hpp"
#include "text/tokenizer/word_table.hpp"

namespace headwater {

namespace {

using SentencePieceType = SentencePieceFile::Type;

Json replacing(const char* kind, std::string_view pattern, std::string_view content) {
  return Json().set("type", "Replace").set("pattern", Json().set(kind, pattern)).set("content", content);
}

Json sequence(const char* members, Json::Array parts) {
  return Json().set("type", "Sequence").set(members, std::move(parts));
}

// At the ends of the text and in runs, then written as U+2581.
Json white_space_json(const SentencePieceFile& file, std::string_view bytes) {
  Json::Array parts;
  if (!file.charsmap.empty()) {
    parts.push_back(Json().set("type", "Precompiled").set("precompiled_charsmap", to_base64(file.charsmap)));
  }
  if (file.removes_extra_white_space) {
    parts.push_back(replacing("Regex", "^ +| +$", ""));
    parts.push_back(replacing("Regex", " {2,}", " "));
  }
  if (file.adds_dummy_prefix) parts.push_back(Json().set("type", "Prepend").set("prepend", " "));
  if (file.escapes_white_space) parts.push_back(replacing("String", " ", kWordMark));
  return sequence("normalizers", std::move(parts)).set("sentencepiece", to_base64(bytes));
}

Json::Array added_tokens_json(const SentencePieceFile& file) {
  Json::Array added;
  for (std::size_t id = 0; id < file.pieces.size(); ++id) {
    const SentencePieceFile::Piece& piece = file.pieces[id];
    const bool is_special =
        piece.type == SentencePieceType::control || piece.type == SentencePieceType::unknown;
    if (!is_special && piece.type != SentencePieceType::user_defined) continue;
    added.push_back(added_token_json(piece.surface, static_cast<std::int64_t>(id), is_special));
  }
  return added;
}

Json unigram_json(const SentencePieceFile& file) {
  Json::Array vocabulary;
  std::int64_t unknown = 0;
  for (std::size_t id = 0; id < file.pieces.size(); ++id) {
    const SentencePieceFile::Piece& piece = file.pieces[id];
    if (piece.type == SentencePieceType::unknown) unknown = static_cast<std::int64_t>(id);
    vocabulary.emplace_back(Json::Array{piece.surface, static_cast<double>(piece.score)});
  }
  return Json()
      .set("type", "Unigram")
      .set("unk_id", unknown)
      .set("vocab", std::move(vocabulary))
      .set("byte_fallback", file.has_byte_fallback);
}

// Every way to join two pieces into a third, the third's score deciding which comes first: the text of a JSON
// array. It may be much longer than the pieces: a long one has as many cuts as characters.
std::string merges_text(const SentencePieceFile& file, std::size_t most, std::string_view where) {
  WordTable ids;
  std::vector<std::uint32_t> order;
  for (std::size_t id = 0; id < file.pieces.size(); ++id) {
    if (file.pieces[id].type != SentencePieceType::normal) continue;
    ids.value(file.pieces[id].surface) = id;
    order.push_back(static_cast<std::uint32_t>(id));
  }
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const float first = file.pieces[a].score, second = file.pieces[b].score;
    return first != second ? first > second : a < b;
  });
  std::string text = "[";
  for (const std::uint32_t id : order) {
    const std::string_view whole = file.pieces[id].surface;
    for (std::size_t at = character_bytes(whole, 0); at < whole.size(); at += character_bytes(whole, at)) {
      const std::string_view left = whole.substr(0, at), right = whole.substr(at);
      if (ids.find(left) == nullptr || ids.find(right) == nullptr) continue;
      if (text.size() > 1) text += ',';
      text += Json(Json::Array{left, right}).dump();
      if (text.size() > most) {
        throw Error(std::string(where) + ": as merges of a tokenizer.json its pieces take more than " +
                    std::to_string(most) + " bytes (at most 16 times the file, plus 1 MiB)");
      }
    }
  }
  return text += ']';
}

Json bpe_json(const SentencePieceFile& file) {
  Json::Object vocabulary;
  std::string unknown;
  for (std::size_t id = 0; id < file.pieces.size(); ++id) {
    vocabulary.emplace_back(file.pieces[id].surface, static_cast<std::int64_t>(id));
    if (file.pieces[id].type == SentencePieceType::unknown) unknown = file.pieces[id].surface;
  }
  return Json()
      .set("type", "BPE")
      .set("dropout", nullptr)
      .set("unk_token", unknown)
      .set("continuing_subword_prefix", nullptr)
      .set("end_of_word_suffix", nullptr)
      .set("fuse_unk", true)
      .set("byte_fallback", file.has_byte_fallback)
      .set("ignore_merges", false)
      .set("vocab", std::move(vocabulary))
      .set("merges", Json::Array{});
}

Json decoder_of(const SentencePieceFile& file) {
  Json::Array parts = {replacing("String", kWordMark, " "), Json().set("type", "ByteFallback"),
                       Json().set("type", "Fuse")};
  if (file.adds_dummy_prefix || file.removes_extra_white_space) {
    parts.push_back(Json().set("type", "Strip").set("content", " ").set("start", 1).set("stop", 0));
  }
  return sequence("decoders", std::move(parts));
}

}  // namespace

std::string sentencepiece_json(const SentencePieceFile& file, std::string_view bytes,
                               std::string_view where) {
  const bool is_unigram = file.algorithm == SentencePieceFile::Algorithm::unigram;
  std::string text = tokenizer_file_json({.added_tokens = added_tokens_json(file),
                                          .normalizer = white_space_json(file, bytes),
                                          .pre_tokenizer = nullptr,
                                          .post_processor = nullptr,
                                          .decoder = decoder_of(file),
                                          .model = is_unigram ? unigram_json(file) : bpe_json(file)})
                         .dump();
  if (!is_unigram) {  // as text in place of the empty list: as values they would take ten times that
    constexpr std::string_view kEnd = "[]}}";
    text.resize(text.size() - kEnd.size());
    text += merges_text(file, 16 * bytes.size() + (std::size_t{1} << 20), where);
    text += "}}";
  }
  text += '\n';
  return text;
}

namespace {

class SentencePieceEncoding final : public Encoding {
 public:
  SentencePieceEncoding(SentencePiece sentencepiece, std::shared_ptr<const Vocabulary> vocabulary)
      : sentencepiece_(std::move(sentencepiece)), vocabulary_(std::move(vocabulary)) {}

  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override {
    sentencepiece_.encode_text(text, ids);
  }

  void sample(std::string_view text, const SubwordSampling& sampling, SampleCounter& random,
              std::vector<std::int32_t>& ids) const override {
    const std::string normal = sentencepiece_.normalize(text);
    if (!normal.empty()) sentencepiece_.sample(normal, sampling, random, ids);
  }

  void for_each_token(std::string_view text, const UseToken& use) const override {
    std::vector<std::int32_t> ids;
    encode(text, ids);
    const bool has_unknown = vocabulary_->has_unknown(ids);
    for_each_surface(has_unknown ? sentencepiece_.normalize(text) : std::string(), {}, ids, *vocabulary_,
                     use);
  }

  std::string normalize(std::string_view text) const override { return sentencepiece_.standardize(text); }

 private:
  SentencePiece sentencepiece_;
  std::shared_ptr<const Vocabulary> vocabulary_;
};

class SentencePieceDecoding final : public Decoding {
 public:
  explicit SentencePieceDecoding(SentencePiece sentencepiece) : sentencepiece_(std::move(sentencepiece)) {}

  std::string decode(std::span<const std::int32_t> ids, bool shows_unknown) const override {
    return sentencepiece_.decode(ids, shows_unknown);
  }
  std::string join(std::span<const std::string> tokens) const override { return sentencepiece_.join(tokens); }
  std::string token_text(std::string_view surface) const override {
    return sentencepiece_.piece_text(surface);
  }
  std::string token_label(std::string_view surface) const override { return token_text(surface); }

 private:
  SentencePiece sentencepiece_;
};

}  // namespace

std::unique_ptr<const Encoding> sentencepiece_encoding(SentencePiece sentencepiece,
                                                       std::shared_ptr<const Vocabulary> vocabulary) {
  return std::make_unique<SentencePieceEncoding>(std::move(sentencepiece), std::move(vocabulary));
}

std::unique_ptr<const Decoding> sentencepiece_decoding(SentencePiece sentencepiece) {
  return std::make_unique<SentencePieceDecoding>(std::move(sentencepiece));
}

}  // namespace headwater
