// The mean of trained models: of the last checkpoints of a run (Vaswani et al. 2017, sec. 6.1), or of any
// that are of one kind, size and vocabulary.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/files.hpp"

namespace headwater {

// The checkpoints that lie in a run's directory, oldest first: the newest `last` of them, 0: all, two at
// least. Throws Error where there are fewer, and UsageError where `run` is no such directory.
std::vector<fs::path> last_checkpoints(const fs::path& run, std::int64_t last);

// Writes to `output`, which must not be there, a model directory whose weights are the mean of those of
// `models` (model directories or checkpoints, added in this order), whole or not at all. Its
// other files are those of the first. Throws Error where another differs in more than its weights, naming
// what.
void average_models(const std::vector<fs::path>& models, const fs::path& output);

}  // namespace headwater
