#include "training/room.hpp"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>

#include "support/error.hpp"
#include "support/numbers.hpp"

namespace headwater {

std::int64_t checkpoints_to_come(const CheckpointSettings& settings, std::int64_t step,
                                 const RunLength& length, std::int64_t there) {
  const std::int64_t steps = length.steps - step;
  const std::int64_t per_epochs =
      std::max<std::int64_t>(length.steps_per_epoch, 1) * std::max<std::int64_t>(settings.every_epochs, 1);
  const std::int64_t epochs = (steps + per_epochs - 1) / per_epochs;  // the last one ends where the run does
  const std::int64_t by_steps = settings.every_steps > 0 ? steps / settings.every_steps : 0;
  // The newest, the best, and the one that is written before an older one goes.
  const std::int64_t kept = std::max<std::int64_t>(settings.keep, 2) + 2;
  return std::max<std::int64_t>(std::min(there + epochs + by_steps, kept) - there, 1);
}

void check_room(const fs::path& directory, std::int64_t checkpoints, std::uint64_t bytes_of_each) {
  struct statvfs system {};
  if (::statvfs(directory.c_str(), &system) != 0 || system.f_blocks == 0) return;
  const std::uint64_t blocks = ::geteuid() == 0 ? system.f_bfree : system.f_bavail;  // some are root's alone
  const std::uint64_t room = blocks * system.f_frsize;
  const std::uint64_t needed = static_cast<std::uint64_t>(checkpoints) * bytes_of_each;
  if (needed <= room) return;
  const auto shown_bytes = [](std::uint64_t bytes) { return format_count(static_cast<std::int64_t>(bytes)); };
  throw Error(shown(directory) + ": the disk has room for " + shown_bytes(room) + " bytes, and " +
              counted(checkpoints, "checkpoint") + " of " + shown_bytes(bytes_of_each) + " bytes " +
              (checkpoints == 1 ? "is" : "are") + " to come, " + shown_bytes(needed) +
              " in all (free some space, or train on another disk)");
}

}  // namespace headwater
