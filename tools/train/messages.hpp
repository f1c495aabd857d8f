// What train says of a run on standard error.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "recipe/recipe.hpp"
#include "support/files.hpp"
#include "training/objective.hpp"
#include "training/trainer.hpp"

namespace headwater::train {

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
