// Tokenizers as a task gets them: from the files given to train, and from a model directory.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "data/token_dataset.hpp"
#include "tasks/task.hpp"
#include "tensor/matrix.hpp"
#include "text/tokenizer/tokenizer.hpp"

namespace headwater {

// Throws UsageError where the option was not given.
Tokenizer load_side(const std::string& path, const char* option);
// The size that this section of the recipe gives is that of the tables; a small text may have fewer words.
// Throws UsageError.
void check_size(const Tokenizer& tokenizer, std::int64_t size, const std::string& path,
                const std::string& section);

// A sentence for each vocabulary that leaves more than a tenth of its rows unused, whose parameters cost
// memory and time in full: "source_tokenizer.size is 15,000, the tokenizer has 4,863 tokens: size: 4863 would
// leave out 1,297,536 parameters of tokens that do not occur".
std::vector<std::string> unused_rows(const Task& task, TaskModel& model);

// The tokenizer of a model whose table has `rows` rows. Throws Error where it is larger than that or its hash
// another one.
Tokenizer load_tokenizer(const std::filesystem::path& path, Index rows, const std::string& hash,
                         const std::filesystem::path& config);

// tokenizer.json and tokenizer_config.json of a directory: with both AutoTokenizer of Hugging Face's
// transformers loads the tokenizer of what the model reads. `length`: ids of a text, 0: any number.
DirectoryFile tokenizer_file(const Tokenizer& tokenizer);
DirectoryFile tokenizer_config_file(const Tokenizer& tokenizer, std::int64_t length);

// An empty data set whose columns stand in the order of these names.
std::unique_ptr<TokenDataset> columns_in_order(std::vector<TokenColumnSettings> columns,
                                               const std::vector<std::string>& names);

}  // namespace headwater
