#include "tasks/tokenizer_files.hpp"

#include <algorithm>

#include "support/error.hpp"

namespace headwater {

Tokenizer load_side(const std::string& path, const char* option) {
  if (path.empty())
    throw UsageError(std::string(option) + " is missing (the tokenizer.json that made this column of ids)");
  return Tokenizer::load(path);
}

void check_size(const Tokenizer& tokenizer, std::int64_t size, const std::string& path) {
  if (tokenizer.vocabulary_size() <= size) return;
  throw UsageError(path + ": " + std::to_string(tokenizer.vocabulary_size()) +
                   " tokens, the recipe has room for " + std::to_string(size) + " (learn it with --size " +
                   std::to_string(size) + ")");
}

Tokenizer load_tokenizer(const std::filesystem::path& path, Index rows, const std::string& hash,
                         const std::filesystem::path& config) {
  Tokenizer tokenizer = Tokenizer::load(path);
  // A text with fewer words than the recipe's vocabulary leaves the last rows of the tables unused.
  if (tokenizer.vocabulary_size() > rows || tokenizer.hash() != hash) {
    throw Error(path.string() + ": " + std::to_string(tokenizer.vocabulary_size()) +
                " tokens with the hash " + tokenizer.hash() + ", " + config.string() + " has room for " +
                std::to_string(rows) + " and asks for " + quote(hash) +
                " (the tokenizer belongs to another model)");
  }
  return tokenizer;
}

std::unique_ptr<TokenDataset> columns_in_order(std::vector<TokenColumnSettings> columns,
                                               const std::vector<std::string>& names) {
  std::sort(columns.begin(), columns.end(), [&](const TokenColumnSettings& a, const TokenColumnSettings& b) {
    return std::find(names.begin(), names.end(), a.name) < std::find(names.begin(), names.end(), b.name);
  });
  return std::make_unique<TokenDataset>(std::move(columns));
}

}  // namespace headwater
