// Writing the tokenizer.json of a word or character tokenizer in Hugging Face's own parts
// (libcore/FORMATS.md, tokenizer.json).
#pragma once

#include <string>
#include <vector>

#include "support/json.hpp"
#include "text/words.hpp"

namespace headwater {

inline constexpr std::string_view kPadToken = "[PAD]", kUnknownToken = "[UNK]", kStartToken = "[START]",
                                  kEndToken = "[END]";

// The parts that stand for a standardisation and a split; null where nothing is done. Our reader knows them
// again.
Json normalizer_json(const StandardizeSettings& settings, SplitKind split);
Json pre_tokenizer_json(SplitKind split);
Json decoder_json(SplitKind split);

// `surfaces` in the order of their ids, of which the first `special_count` are special; surfaces[1] is the
// unknown token.
std::string word_tokenizer_json(const StandardizeSettings& settings, SplitKind split,
                                const std::vector<std::string>& surfaces, std::size_t special_count);

}  // namespace headwater
