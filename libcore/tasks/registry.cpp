#include "tasks/registry.hpp"

#include "families/registry.hpp"
#include "support/error.hpp"

namespace headwater {

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
  const Task task = kind_of(recipe.model).task();
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
