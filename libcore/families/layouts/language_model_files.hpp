// What the layouts of language models have beside config.json and weights.
#pragma once

#include "families/layouts/layout.hpp"
#include "families/model_directory.hpp"

namespace headwater {

// tokenizer.json, vocab.txt, or vocab.json with merges.txt. Throws Error naming the folder or the file.
ModelTokenizers one_tokenizer(const ModelFolder& folder);

// A language model to write, with its tokenizer and generation_config.json; `ours` gets its special ids.
ExportParts language_model_parts(const ModelFolder& folder, Json& ours);

}  // namespace headwater
