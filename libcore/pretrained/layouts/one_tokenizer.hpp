// The tokenizer of folders that other programs wrote, where a model has one.
#pragma once

#include "pretrained/layouts/layout.hpp"
#include "pretrained/model_directory.hpp"

namespace headwater {

// tokenizer.json, or vocab.json with merges.txt. Throws Error naming the folder or the file.
ModelTokenizers one_tokenizer(const ModelFolder& folder);

}  // namespace headwater
