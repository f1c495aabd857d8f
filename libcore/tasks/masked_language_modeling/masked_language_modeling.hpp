// Training a masked language model.
#pragma once

#include <memory>

#include "recipe/recipe.hpp"
#include "tasks/task_files.hpp"
#include "training/task_model.hpp"

namespace headwater {

// The rows of the registry (tasks/registry.hpp says what they do).
std::unique_ptr<TaskModel> prepare_masked_language_modeling(const Recipe& recipe, const TaskFiles& given);

}  // namespace headwater
