// Room on the disk for the checkpoints of a run: found to be too little before the first step, not after
// hours.
#pragma once

#include <cstdint>
#include <string>

#include "recipe/recipe.hpp"
#include "support/files.hpp"
#include "training/schedule.hpp"

namespace headwater {

// Most checkpoints that lie on the disk at once, the one that is being written among them, beyond those that
// are `there` when the run begins, or goes on from `step`; at least one, which replaces nothing yet.
std::int64_t checkpoints_to_come(const CheckpointSettings& settings, std::int64_t step,
                                 const RunLength& length, std::int64_t there);

// Throws Error with all numbers where the file system of the directory has less room than these checkpoints
// take. One that does not tell its size has room.
void check_room(const fs::path& directory, std::int64_t checkpoints, std::uint64_t bytes_of_each);

}  // namespace headwater
