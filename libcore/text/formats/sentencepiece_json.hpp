// A .model as tokenizer.json. The member "sentencepiece" holds the file as base64, and we read nothing else
// of it; the other members say the same in Hugging Face's parts, for libraries that know those alone.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "text/formats/sentencepiece.hpp"
#include "text/tokenizer/decoding.hpp"
#include "text/tokenizer/encoding.hpp"

namespace headwater {

// Throws Error "where: what" where BPE's merges, as text, take more than 16 times the bytes of the file and
// 1 MiB.
std::string sentencepiece_json(const SentencePieceFile& file, std::string_view bytes, std::string_view where);

// A SentencePiece model as the two halves of a tokenizer, whose ids are the model's.
std::unique_ptr<const Encoding> sentencepiece_encoding(SentencePiece sentencepiece,
                                                       std::shared_ptr<const Vocabulary> vocabulary);
std::unique_ptr<const Decoding> sentencepiece_decoding(SentencePiece sentencepiece);

}  // namespace headwater
