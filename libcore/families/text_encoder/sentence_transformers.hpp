// Directories of sentence-transformers (Reimers and Gurevych 2019): an encoder in a published layout, and
// beside it modules.json, which names what is done with its states, and a folder with the settings of the
// pooling.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "families/model_directory.hpp"
#include "families/text_encoder/model.hpp"
#include "support/json.hpp"

namespace headwater {

// modules.json: an encoder in the directory itself, pooling, and perhaps normalization, in this order.
struct SentenceModules {
  std::string pooling_folder;    // "1_Pooling": a plain name
  std::string normalize_folder;  // empty: vectors are not normalized
};
// Each throws Error "where: what", of what a file says that is not computed here, too.
SentenceModules parse_sentence_modules(std::string_view text, const std::string& where);
// config.json of the pooling -> max | mean | first; vectors of `width`.
std::string parse_sentence_pooling(std::string_view text, const std::string& where, std::int64_t width);
// sentence_bert_config.json -> the longest text in tokens, special ones counted; 0: the tokenizer says it.
// `tokenizer_config`: tokenizer_config.json, or null.
std::int64_t parse_sentence_length(std::string_view text, const std::string& where,
                                   const Json& tokenizer_config = {});
// config.json of the normalization.
void check_sentence_normalization(std::string_view text, const std::string& where);
// config_sentence_transformers.json: nothing of it is computed here, so it must ask for nothing.
void check_sentence_prompts(std::string_view text, const std::string& where);

// Sets pooling, normalize and max_tokens of `ours` by these files; of a directory without modules.json the
// mean is taken, as sentence-transformers does, and tokenizer_config.json says the longest text.
void read_sentence_modules(const ModelFolder& folder, Json& ours);
// And back: the files that stand beside config.json, in the form that all versions read.
std::vector<DirectoryFile> sentence_modules(const TextEmbedderSettings& settings);

// The arguments in sentence_bert_config.json that sentence-transformers 6 keeps for its library: the longest
// text in tokens that they ask for; 0: none does. `tokenizer_config`: tokenizer_config.json, or
// null. Throws Error naming the first argument that would change a vector and is not read.
std::int64_t length_of_arguments(const Json& config, const Json& tokenizer_config);

}  // namespace headwater
