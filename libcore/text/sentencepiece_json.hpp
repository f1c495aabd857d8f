// A .model as tokenizer.json. The member "sentencepiece" holds the file as base64, and we read nothing else
// of it; the other members say the same in Hugging Face's parts, for libraries that know those alone.
#pragma once

#include <string>
#include <string_view>

#include "text/sentencepiece.hpp"

namespace headwater {

std::string sentencepiece_json(const SentencePieceFile& file, std::string_view bytes);

}  // namespace headwater
