// Training a model that gives images a label.
#pragma once

#include <memory>

#include "recipe/recipe.hpp"
#include "tasks/task_files.hpp"
#include "training/task_model.hpp"

namespace headwater {

// The rows of the registry (tasks/registry.hpp says what they do).
void complete_image_classification(Recipe& recipe, const TaskFiles& given);
std::unique_ptr<TaskModel> prepare_image_classification(const Recipe& recipe, const TaskFiles& given);

}  // namespace headwater
