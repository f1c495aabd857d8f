// What trains each kind of model. A new task is a row in registry.cpp (libcore/ADDING.md).
#pragma once

#include <memory>

#include "recipe/recipe.hpp"
#include "tasks/task_files.hpp"
#include "training/task_model.hpp"

namespace headwater {

// The rows of the registry.
std::unique_ptr<TaskModel> prepare_translation(const Recipe& recipe, const TaskFiles& given);
void complete_classification(Recipe& recipe, const TaskFiles& given);
std::unique_ptr<TaskModel> prepare_classification(const Recipe& recipe, const TaskFiles& given);
std::unique_ptr<TaskModel> prepare_language_modeling(const Recipe& recipe, const TaskFiles& given);
void complete_image_classification(Recipe& recipe, const TaskFiles& given);
std::unique_ptr<TaskModel> prepare_image_classification(const Recipe& recipe, const TaskFiles& given);
std::unique_ptr<TaskModel> prepare_masked_language_modeling(const Recipe& recipe, const TaskFiles& given);

// Fills in what a recipe leaves open until the files are there: the number of classes. Throws UsageError
// where they do not fit together.
void complete(Recipe& recipe, const TaskFiles& given);
// `recipe` must outlive the result. Throws UsageError where a file is missing, is none that this kind reads,
// or does not fit the recipe; Error for what a file holds.
std::unique_ptr<TaskModel> prepare(const Recipe& recipe, const TaskFiles& given);

}  // namespace headwater
