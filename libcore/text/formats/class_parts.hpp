// The parts of a tokenizer.json that the classes of transformers' tokenizers make.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "support/json.hpp"
#include "text/formats/tokenizer_folder.hpp"
#include "text/tokenizer/word_table.hpp"

namespace headwater {

// The ids of a vocabulary: the object or array of a model, or the lines of a file.
class VocabularyIds {
 public:
  VocabularyIds() = default;
  // {token: id}, or [[token, score]]; anything else has none.
  explicit VocabularyIds(const Json& vocab);
  std::int64_t find(std::string_view surface) const;  // -1: it has none
  std::int64_t size() const { return size_; }

 private:
  WordTable ids_;  // id + 1
  std::int64_t size_ = 0;
};

// "added_tokens": those of `list`, those that the files beside it add, and the tokens of the roles that are
// in the vocabulary. `names` are further special tokens. Throws Error for an id that does not agree.
Json::Array added_tokens_of(const VocabularyIds& vocabulary, Json::Array list,
                            const TokenizerFolder& settings,
                            std::initializer_list<std::string_view> names = {});

// Marks the special tokens of a tokenizer.json that have no role, which can come into a model through text
// alone: text gives them, unless the settings say otherwise. With "split_special_tokens" all are split. Marks
// that are there stay. Returns whether anything changed.
bool mark_tokens_in_text(Json& file, const TokenizerFolder& settings);
// The first such token that the files beside a tokenizer name, or nothing.
std::string special_without_role(const TokenizerFolder& settings);

// A special token of a template, with its id in `added`; id -1: it is not there. Throws Error where a file
// names one that is not there.
struct TemplateToken {
  std::string surface;
  std::int64_t id = -1;
};
TemplateToken template_token(std::string_view role, const Json::Array& added,
                             const TokenizerFolder& settings);

Json bert_normalizer_json(const TokenizerFolder& settings);
Json bert_decoder_json();
Json byte_level_json(bool add_prefix_space);
// Null where one of the two is not there.
Json bert_post_processor_json(const TemplateToken& first, const TemplateToken& last);
Json roberta_post_processor_json(const TemplateToken& first, const TemplateToken& last,
                                 bool add_prefix_space);

}  // namespace headwater
