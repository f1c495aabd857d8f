#include "families/train_task.hpp"

#include <algorithm>

#include "families/registry.hpp"
#include "support/enum_names.hpp"
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

std::vector<std::string> unused_rows(const Family& family, TaskModel& model) {
  struct Section {
    UsedRows rows;
    std::int64_t size = 0, parameters = 0;
  };
  std::vector<Section> sections;  // two sides may share one
  for (const UsedRows& rows : model.used_rows()) {
    if (sections.empty() || sections.back().rows.section != rows.section)
      sections.push_back({.rows = rows, .size = 0, .parameters = 0});
    Section& section = sections.back();
    for (const TokenAxis& axis : family.token_axes) {
      if (axis.file != rows.file) continue;
      const Parameter* const p = model.parameters().find(axis.tensor);
      if (p == nullptr) continue;
      section.size = p->shape[axis.axis];
      section.parameters += p->size() / section.size * (section.size - rows.used);
    }
  }
  std::vector<std::string> sentences;
  for (const auto& [rows, size, parameters] : sections) {
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

std::unique_ptr<TokenDataset> columns_in_order(std::vector<TokenColumnSettings> columns,
                                               const std::vector<std::string>& names) {
  std::sort(columns.begin(), columns.end(), [&](const TokenColumnSettings& a, const TokenColumnSettings& b) {
    return std::find(names.begin(), names.end(), a.name) < std::find(names.begin(), names.end(), b.name);
  });
  return std::make_unique<TokenDataset>(std::move(columns));
}

namespace {

struct Row {
  Task task;
  void (*complete)(Recipe&, const TaskFiles&);  // null: nothing is left open
  std::unique_ptr<TaskModel> (*prepare)(const Recipe&, const TaskFiles&);
};

constexpr Row kRows[] = {
    {Task::translation, nullptr, prepare_translation},
    {Task::classification, complete_classification, prepare_classification},
    {Task::language_modeling, nullptr, prepare_language_modeling},
    {Task::image_classification, complete_image_classification, prepare_image_classification},
    {Task::masked_language_modeling, nullptr, prepare_masked_language_modeling}};

const Row& row_of(const Recipe& recipe) {
  const Task task = family_of(recipe.model).task;
  for (const Row& row : kRows) {
    if (row.task == task) return row;
  }
  throw UsageError("model.kind: nothing trains a " + std::string(recipe.model.kind().name) + " (" +
                   std::string(name_of(task)) +
                   "; train a classifier, which begins from it with --init-from)");
}

// Where a size is aimed at, not kept to, the tables have as many rows as there came to be tokens.
void complete_size(TokenizerSettings& settings, const std::string& path) {
  if (!keeps_size(settings.kind) && !path.empty()) settings.size = Tokenizer::load(path).vocabulary_size();
}

}  // namespace

void complete(Recipe& recipe, const TaskFiles& given) {
  complete_size(recipe.source_tokenizer, given.source_tokenizer);
  complete_size(recipe.target_tokenizer, given.target_tokenizer);
  const Row& row = row_of(recipe);
  if (row.complete != nullptr) row.complete(recipe, given);
}

std::unique_ptr<TaskModel> prepare(const Recipe& recipe, const TaskFiles& given) {
  return row_of(recipe).prepare(recipe, given);
}

}  // namespace headwater
