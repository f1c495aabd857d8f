#include "text/sentencepiece_json.hpp"

#include <algorithm>

#include "text/base64.hpp"
#include "text/word_cuts.hpp"
#include "text/word_table.hpp"

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

Json added_tokens_json(const SentencePieceFile& file) {
  Json::Array added;
  for (std::size_t id = 0; id < file.pieces.size(); ++id) {
    const SentencePieceFile::Piece& piece = file.pieces[id];
    const bool is_special =
        piece.type == SentencePieceType::control || piece.type == SentencePieceType::unknown;
    if (!is_special && piece.type != SentencePieceType::user_defined) continue;
    added.push_back(Json()
                        .set("id", static_cast<std::int64_t>(id))
                        .set("content", piece.surface)
                        .set("single_word", false)
                        .set("lstrip", false)
                        .set("rstrip", false)
                        .set("normalized", false)
                        .set("special", is_special));
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

// Every way to join two pieces into a third, the third's score deciding which comes first.
Json merges_json(const SentencePieceFile& file) {
  struct Merge {
    float score;
    std::size_t left, right;
  };
  WordTable ids;
  for (std::size_t id = 0; id < file.pieces.size(); ++id) {
    if (file.pieces[id].type == SentencePieceType::normal) ids.value(file.pieces[id].surface) = id;
  }
  std::vector<Merge> merges;
  for (const WordTable::Entry& entry : ids.entries()) {
    const std::string_view whole = entry.word();
    for (std::size_t at = character_bytes(whole, 0); at < whole.size(); at += character_bytes(whole, at)) {
      const WordTable::Entry* left = ids.find(whole.substr(0, at));
      const WordTable::Entry* right = ids.find(whole.substr(at));
      if (left != nullptr && right != nullptr)
        merges.push_back({file.pieces[entry.value].score, left->value, right->value});
    }
  }
  std::stable_sort(merges.begin(), merges.end(),
                   [](const Merge& a, const Merge& b) { return a.score > b.score; });
  Json::Array list;
  for (const Merge& merge : merges) {
    list.emplace_back(Json::Array{file.pieces[merge.left].surface, file.pieces[merge.right].surface});
  }
  return list;
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
      .set("merges", merges_json(file));
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

std::string sentencepiece_json(const SentencePieceFile& file, std::string_view bytes) {
  const bool is_unigram = file.algorithm == SentencePieceFile::Algorithm::unigram;
  return Json()
             .set("version", "1.0")
             .set("truncation", nullptr)
             .set("padding", nullptr)
             .set("added_tokens", added_tokens_json(file))
             .set("normalizer", white_space_json(file, bytes))
             .set("pre_tokenizer", nullptr)
             .set("post_processor", nullptr)
             .set("decoder", decoder_of(file))
             .set("model", is_unigram ? unigram_json(file) : bpe_json(file))
             .dump() +
         "\n";
}

}  // namespace headwater
