// The tokenizers of Marian's directories: SentencePiece cuts a text into pieces, vocab.json gives them ids.
#pragma once

#include <filesystem>

#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

// `pieces` is a SentencePiece model, `vocabulary` a JSON object of pieces with ids from 0 without gaps, among
// them <unk> and </s>. What begins as ">>code<<" begins with that token. Throws Error "path: what".
Tokenizer load_marian_tokenizer(const std::filesystem::path& pieces, const std::filesystem::path& vocabulary);

}  // namespace headwater
