// SentencePiece models (Kudo & Richardson 2018): the file `.model`, a message of Protocol Buffers, and what
// it does to a text, in SentencePiece's own arithmetic. Unigram and BPE are read.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer/token_model.hpp"

namespace headwater {

// What stands in the file.
struct SentencePieceFile {
  enum class Algorithm { unigram = 1, bpe = 2 };
  enum class Type { normal = 1, unknown = 2, control = 3, user_defined = 4, unused = 5, byte = 6 };
  struct Piece {
    std::string surface;
    float score = 0;
    Type type = Type::normal;
  };
  Algorithm algorithm = Algorithm::unigram;
  std::vector<Piece> pieces;  // in the order of their ids
  bool has_byte_fallback = false;
  std::string unknown_surface = " \xE2\x81\x87 ";  // what the unknown token is in decoded text
  std::string start_piece = "<s>", end_piece = "</s>", pad_piece = "<pad>";
  std::string charsmap;
  bool adds_dummy_prefix = true;
  bool removes_extra_white_space = true;
  bool escapes_white_space = true;
};

// Whether the bytes begin as a .model does and are no JSON; of a file named *.model or *.spm also where they
// are too few to tell.
bool is_sentencepiece_file(std::string_view bytes, std::string_view where = "");

// Throws Error "where: byte N: what", for a part that is not supported too.
SentencePieceFile read_sentencepiece_file(std::string_view bytes, std::string_view where);

// A small handle to shared, constant data; all members may be called from several threads.
class SentencePiece {
 public:
  // Throws Error "where: what".
  SentencePiece(SentencePieceFile file, std::string_view where);

  std::string normalize(std::string_view text) const;
  // The same without the mark before the text, and with spaces for marks: decode(encode(normalize(text))),
  // but for spaces at the beginning, where the text has no marks of its own.
  std::string standardize(std::string_view text) const;
  // Appends the ids of a text that is normalised.
  void encode(std::string_view normal, std::vector<std::int32_t>& ids) const;
  // Appends the ids of any text: those of encode(normalize(text)), sooner.
  void encode_text(std::string_view text, std::vector<std::int32_t>& ids) const;
  // The same with random choices: of cuts (Unigram) or of merges that are passed over (BPE).
  void sample(std::string_view normal, const SubwordSampling& sampling, SampleCounter& random,
              std::vector<std::int32_t>& ids) const;
  // The text of ids; throws Error for one out of range.
  std::string decode(std::span<const std::int32_t> ids, bool shows_unknown = true) const;
  // The same of surfaces; one that is no piece is text.
  std::string join(std::span<const std::string> tokens) const;

  // What a piece is inside a text: with spaces for marks; of a byte that is no character by itself <0xC3>.
  std::string piece_text(std::string_view surface) const;

  const SentencePieceFile& file() const;
  std::int32_t unknown_id() const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace headwater
