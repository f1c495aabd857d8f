#include "tasks/tokenizer_files.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater {

Tokenizer load_side(const std::string& path, const char* option) {
  if (path.empty())
    throw UsageError(std::string(option) + " is missing (the tokenizer.json that made this column of ids)");
  return Tokenizer::load(path);
}

void check_size(const Tokenizer& tokenizer, std::int64_t size, const std::string& path,
                const std::string& section) {
  if (tokenizer.vocabulary_size() <= size) return;
  throw UsageError(path + ": " + std::to_string(tokenizer.vocabulary_size()) +
                   " tokens, the recipe has room for " + std::to_string(size) +
                   " (learn it with tokenize --size " + std::to_string(size) + ", or set " + section +
                   ".size to " + std::to_string(tokenizer.vocabulary_size()) + " in the recipe)");
}

std::vector<std::string> unused_rows(const Task& task, TaskModel& model) {
  std::vector<std::string> sentences;
  for (const UsedRows& rows : model.used_rows()) {
    std::int64_t size = 0, parameters = 0;
    for (const TokenAxis& axis : task.token_axes()) {
      if (axis.file != rows.file) continue;
      const Parameter* const p = model.parameters().find(axis.tensor);
      if (p == nullptr) continue;
      size = p->shape[axis.axis];
      parameters += p->size() / size * (size - rows.used);
    }
    if ((size - rows.used) * 10 <= size) continue;
    const bool are_terms = rows.section == "terms";
    const std::string noun = are_terms ? "term" : "token";
    sentences.push_back(std::string(rows.section) + ".size is " + format_count(size) + ", the " +
                        (are_terms ? "table" : "tokenizer") + " has " + counted(rows.used, noun) +
                        ": size: " + std::to_string(rows.used) + " would leave out " +
                        counted(parameters, "parameter") + " of " + noun + "s that do not occur");
  }
  return sentences;
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

DirectoryFile tokenizer_file(const Tokenizer& tokenizer) {
  return {"tokenizer.json", tokenizer.to_json(), "tokenizer"};
}

DirectoryFile tokenizer_config_file(const Tokenizer& tokenizer, std::int64_t length) {
  Json config;
  config.set("tokenizer_class", "PreTrainedTokenizerFast");
  // Without it the library hands out token_type_ids, which GPT-2 adds to the embeddings.
  config.set("model_input_names", Json::Array{Json("input_ids"), Json("attention_mask")});
  for (const auto& [name, id] : {std::pair{"pad_token", tokenizer.pad_id()},
                                 {"unk_token", tokenizer.unknown_id()},
                                 {"bos_token", tokenizer.start_id()},
                                 {"eos_token", tokenizer.end_id()}}) {
    if (id >= 0) config.set(name, tokenizer.surface(id));
  }
  if (length > 0) config.set("model_max_length", length);
  // Their library would join "it 's" and take the space before a mark; the decoder alone says what is joined.
  config.set("clean_up_tokenization_spaces", false);
  return {"tokenizer_config.json", config.dump(2) + "\n"};
}

std::unique_ptr<TokenDataset> columns_in_order(std::vector<TokenColumnSettings> columns,
                                               const std::vector<std::string>& names) {
  std::sort(columns.begin(), columns.end(), [&](const TokenColumnSettings& a, const TokenColumnSettings& b) {
    return std::find(names.begin(), names.end(), a.name) < std::find(names.begin(), names.end(), b.name);
  });
  return std::make_unique<TokenDataset>(std::move(columns));
}

}  // namespace headwater
