// Learning the subwords of a SubwordTextEncoder, as tensorflow-datasets builds them from a corpus: the same
// file from the same text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "text/learning/piece_counts.hpp"

namespace headwater {

// The words of lines as the encoder cuts them, each line a text.
void count_subword_words(std::string_view lines, WordTable& counts);

// `target`: the size of the vocabulary with padding and 256 bytes, but without start and end; reached within
// 1 % where it can be. Throws UsageError below 258, and Error where nothing was counted.
std::vector<std::string> learn_subword_text_encoder(const WordTable& counts, std::int64_t target);

}  // namespace headwater
