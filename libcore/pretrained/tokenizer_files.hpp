// The tokenizer files of a model directory.
#pragma once

#include <filesystem>
#include <string>

#include "pretrained/kind.hpp"
#include "pretrained/layouts/layout.hpp"
#include "pretrained/model_directory.hpp"
#include "tensor/matrix.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

// The tokenizer in that file, of a model whose table has `rows` rows. Throws Error where it is larger than
// that or its hash another one.
Tokenizer load_tokenizer(const ModelFolder& folder, const std::string& name, Index rows,
                         const std::string& hash);

// Those of a folder in a published layout, for tables of so many rows. Throws Error where they have more
// tokens.
struct TableRows {
  Index source, target = 0;  // 0: of a model with one tokenizer
};
ModelTokenizers published_tokenizers(const ModelFolder& folder, const TableRows& rows);
// The tokenizer of a model with one, in whatever layout.
Tokenizer load_one_tokenizer(const ModelFolder& folder, Index rows);

// The tokenizer of the model in that directory, which has one.
Tokenizer tokenizer_of(const std::filesystem::path& directory);

// tokenizer.json and tokenizer_config.json of a directory: with both AutoTokenizer of Hugging Face's
// transformers loads the tokenizer of what the model reads: without the special tokens that a template puts
// around a text, unless the model reads them. `length`: ids of a text, 0: any number; `has_segments`: the
// model tells the texts of a pair apart.
DirectoryFile tokenizer_file(const Tokenizer& tokenizer, bool uses_template = false);
// The text of its tokenizer.json alone.
std::string tokenizer_text(const Tokenizer& tokenizer, bool uses_template);
DirectoryFile tokenizer_config_file(const Tokenizer& tokenizer, std::int64_t length,
                                    bool has_segments = false);

}  // namespace headwater
