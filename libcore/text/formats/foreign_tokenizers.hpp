// Tokenizers that other programs left as files of their own layout: BERT's vocab.txt, and vocab.json with
// merges.txt as GPT-2 has them. Each becomes the tokenizer.json that gives the same ids. So does a
// tokenizer.json beside files that say otherwise.
#pragma once

#include <string>
#include <string_view>

#include "support/json.hpp"
#include "text/formats/tokenizer_folder.hpp"

namespace headwater {

// One token a line, its number from 0 is the id; "##" continues a word. The unknown token has to be there.
// Throws Error "where:LINE: what".
std::string tokenizer_json_of_vocab_txt(std::string_view text, TokenizerFolder settings,
                                        const std::string& where);

// {token: id}, and one merge a line, "a b", after a line "#version: ..." that may be missing. Of a class that
// is not known it is RoBERTa's where the vocabulary has <s> and </s>, else GPT-2's.
std::string tokenizer_json_of_merges(std::string_view vocab, const std::string& vocab_where,
                                     std::string_view merges, const std::string& merges_where,
                                     TokenizerFolder settings);

// Gives a tokenizer.json the parts that its class makes, whatever the file has, and the tokens that the files
// beside it add. Throws Error naming the file. Returns whether anything changed.
bool apply_settings(Json& file, const TokenizerFolder& settings, const std::string& where);

}  // namespace headwater
