// Writing a tokenizer.json in Hugging Face's own parts (libcore/FORMATS.md, tokenizer.json).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/json.hpp"
#include "text/tokenizer/words.hpp"

namespace headwater {

// The special tokens around the texts that a model reads: none, or [CLS] text [SEP] and [CLS] text [SEP] text
// [SEP] (Devlin et al. 2019, section 3), whose tokenizer has [MASK], too.
enum class TextTemplate { none, bert };
// Throws UsageError for another name.
TextTemplate parse_text_template(std::string_view name);

inline constexpr std::string_view kPadToken = "[PAD]", kUnknownToken = "[UNK]", kStartToken = "[START]",
                                  kEndToken = "[END]", kClassToken = "[CLS]", kSeparatorToken = "[SEP]",
                                  kMaskToken = "[MASK]";

// The parts that stand for a standardisation and a split; null where nothing is done. Our reader knows them
// again.
Json normalizer_json(const StandardizeSettings& settings, SplitKind split);
Json pre_tokenizer_json(SplitKind split);
Json decoder_json(SplitKind split);

// Throws Error that says what is wanted where the file is no JSON from its start.
Json parse_tokenizer_file(std::string_view json, std::string_view where);

// The members of any tokenizer.json; null where nothing is done.
struct TokenizerFileParts {
  Json::Array added_tokens;
  Json normalizer, pre_tokenizer, post_processor, decoder, model;
};
Json tokenizer_file_json(TokenizerFileParts parts);
// Hugging Face's TemplateProcessing of BERT's texts and pairs; type_id is the segment of a token.
Json bert_template_json(std::string_view first, std::int64_t first_id, std::string_view last,
                        std::int64_t last_id);
// Our own members of special tokens in added_tokens. Whether text gives them: without it no text does. And
// whether their spelling in a text is text like any other, which the model may make that token of, while no
// added token inside it is found ("split_special_tokens").
inline constexpr const char *kInTextMember = "in_text", *kSplitMember = "split";
// One of added_tokens: found as it is written, within words too, and without the spaces around it.
Json added_token_json(std::string_view content, std::int64_t id, bool is_special = true);

// What our own files differ in.
struct TokenizerJson {
  std::vector<std::pair<std::string, std::int64_t>> special_tokens;  // with their ids
  std::size_t symbols = 0;  // so many of them, the last, are no special tokens, but found in text
  TextTemplate text_template = TextTemplate::none;  // bert: its tokens are among the special ones
  Json normalizer, pre_tokenizer, decoder, model;
};
std::string tokenizer_json(TokenizerJson parts);
// Special tokens whose ids count from 0.
std::vector<std::pair<std::string, std::int64_t>> numbered(const std::vector<std::string>& special_tokens);
// The member "vocab" of a model: {surface: id}.
Json vocab_json(const std::vector<std::string>& surfaces);

// `surfaces` in the order of their ids, of which the first `special_count` are special, but for the last
// `symbols` of these; surfaces[1] is the unknown token.
std::string word_tokenizer_json(const StandardizeSettings& settings, SplitKind split,
                                const std::vector<std::string>& surfaces, std::size_t special_count,
                                TextTemplate text_template = TextTemplate::none, std::size_t symbols = 0);

}  // namespace headwater
