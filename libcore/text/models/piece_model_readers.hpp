// Readers of the models WordPiece and Unigram of a tokenizer.json.
#pragma once

#include "text/models/token_model_reader.hpp"

namespace headwater {

ModelOfFile read_word_piece(const ModelPart& part);
ModelOfFile read_unigram(const ModelPart& part);

}  // namespace headwater
