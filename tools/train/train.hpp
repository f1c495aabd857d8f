// What train learns from, and what it says of a run.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/dataset.hpp"
#include "families/family.hpp"
#include "families/train_task.hpp"
#include "ranks/process_group.hpp"
#include "recipe/recipe.hpp"
#include "support/files.hpp"
#include "training/objective.hpp"
#include "training/trainer.hpp"

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

// The figures of an epoch; shows_reference: also those over padded positions.
void note_epoch(const EpochReport& r, const Objective& objective, bool shows_reference);

// Where the run ends before the learning rate reaches its peak.
void note_long_warmup(const ScheduleSettings& schedule, std::int64_t steps, bool is_quiet);

// An error of a pattern of training.KEY, by the option --KEY where the pattern was typed.
struct TypedPatterns {
  std::string key;
  const std::vector<std::string>& patterns;
};
std::string as_typed(const std::string& error, std::initializer_list<TypedPatterns> typed);

// Writes messages.json into the directory of a run: how many examples it has, what was warned of, and why it
// failed where it did. A run that goes on keeps what was warned of before.
void keep_messages(const fs::path& directory, const std::string& examples, bool goes_on,
                   const std::string& failed = "");

}  // namespace headwater::train
