// What train learns from.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/dataset.hpp"
#include "families/family.hpp"
#include "families/train_task.hpp"
#include "ranks/process_group.hpp"
#include "recipe/recipe.hpp"

namespace headwater::train {

struct ExampleFiles {
  const std::vector<std::string>& data;  // none: standard input
  const std::string& validation;         // empty: a share of the data is held out
  bool allows_empty = false, is_quiet = false;
  ProcessGroup* ranks = nullptr;  // rank 0 alone reads mapped files as a whole
};

// What is trained on and what is validated on: two data sets, or one of which a share is held out by seed.
struct Examples {
  std::unique_ptr<Dataset> data, validation_data;
  Subset train, validation;
  std::string sizes;  // "900 training pairs, 100 held out for validation"
};

// Says on standard error what there is, in examples called `example`. Throws Error, with its place, where a
// file or a line is none of this model's.
Examples read_examples(const ExampleFiles& files, const Recipe& recipe, const TaskModel& task,
                       std::string_view example);

// Throws Error where a finished model could not be measured on these test images: by their size, or their
// labels.
void check_test_images(const std::string& path, const TaskModel& task, const Examples& examples,
                       const std::string& learned_from);

}  // namespace headwater::train
