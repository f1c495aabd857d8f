// The tokenizers of Marian's directories: SentencePiece cuts a text into pieces, vocab.json gives them ids.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "text/formats/tokenizer_folder.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

// The pieces in the order of their ids, and the file that they were read from: two sides may share it.
struct MarianVocabulary {
  std::vector<std::string> surfaces;
  std::filesystem::path path;
};
// A JSON object of pieces with ids from 0 without gaps. Throws Error "path: what".
MarianVocabulary read_marian_vocabulary(const std::filesystem::path& path);

// `pieces` is a SentencePiece model; among the vocabulary's are <unk> and </s>. What begins as ">>code<<"
// begins with that token. `cleans_up`: decoded text has no space before its marks. Throws Error "path: what".
Tokenizer load_marian_tokenizer(const std::filesystem::path& pieces, MarianVocabulary vocabulary,
                                bool cleans_up = false);
// Throws Error naming the file for roles and added tokens that the vocabulary does not have so.
void check_marian_roles(const TokenizerFolder& beside, const MarianVocabulary& vocabulary);

}  // namespace headwater
