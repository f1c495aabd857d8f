// How a language model that is being trained goes on with texts.
#pragma once

#include "tasks/task.hpp"

namespace headwater::train {

// As ContinueIds has it.
std::vector<std::vector<std::int32_t>> drawn_continuations(const CachedModel& model,
                                                           std::span<const std::vector<std::int32_t>> prompts,
                                                           const ContinuationSettings& settings);

}  // namespace headwater::train
