// Tokenizers as a task gets them: from the files given to train, and from a model directory.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "data/token_dataset.hpp"
#include "tensor/matrix.hpp"
#include "text/tokenizer.hpp"

namespace headwater {

// Throws UsageError where the option was not given.
Tokenizer load_side(const std::string& path, const char* option);
// The recipe's size is that of the tables; a small text may have fewer words. Throws UsageError.
void check_size(const Tokenizer& tokenizer, std::int64_t size, const std::string& path);

// The tokenizer of a model whose table has `rows` rows. Throws Error where it is larger than that or its hash
// another one.
Tokenizer load_tokenizer(const std::filesystem::path& path, Index rows, const std::string& hash,
                         const std::filesystem::path& config);

// An empty data set whose columns stand in the order of these names.
std::unique_ptr<TokenDataset> columns_in_order(std::vector<TokenColumnSettings> columns,
                                               const std::vector<std::string>& names);

}  // namespace headwater
