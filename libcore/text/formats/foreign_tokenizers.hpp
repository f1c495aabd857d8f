// Tokenizers that other programs left as files of their own layout: BERT's vocab.txt, and vocab.json with
// merges.txt as GPT-2 has them. Each becomes the tokenizer.json that gives the same ids.
#pragma once

#include <string>
#include <string_view>

#include "support/files.hpp"
#include "support/json.hpp"

namespace headwater {

struct BertOptions {  // of tokenizer_config.json
  bool lowercase = true, handle_chinese_chars = true;
  Json strip_accents;  // null: as lowercase
};

// One token a line, its number from 0 is the id; "##" continues a word. [PAD], [UNK], [CLS], [SEP] and [MASK]
// are special where they are there; [UNK] has to be. Throws Error "where:LINE: what".
std::string tokenizer_json_of_vocab_txt(std::string_view text, const BertOptions& options,
                                        const std::string& where);

struct ByteLevelOptions {
  bool add_prefix_space = false;
};

// {token: id}, and one merge a line, "a b", after a line "#version: ..." that may be missing. Special are
// <|endoftext|>, <s>, </s>, <unk>, <pad> and <mask> where they are there; <s> and </s> go around a text.
std::string tokenizer_json_of_merges(std::string_view vocab, const std::string& vocab_where,
                                     std::string_view merges, const std::string& merges_where,
                                     const ByteLevelOptions& options);

}  // namespace headwater
