// A SentencePiece model as the two halves of a tokenizer, whose ids are the model's.
#pragma once

#include <memory>

#include "text/formats/sentencepiece.hpp"
#include "text/tokenizer/decoding.hpp"
#include "text/tokenizer/encoding.hpp"

namespace headwater {

std::unique_ptr<const Encoding> sentencepiece_encoding(SentencePiece sentencepiece,
                                                       std::shared_ptr<const Vocabulary> vocabulary);
std::unique_ptr<const Decoding> sentencepiece_decoding(SentencePiece sentencepiece);

}  // namespace headwater
