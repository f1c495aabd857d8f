#include "training/room.hpp"

#include <doctest/doctest.h>

#include "error_text.hpp"
#include "scratch_directory.hpp"

using namespace headwater;

TEST_CASE("room: as many checkpoints as lie on the disk at once") {
  CheckpointSettings settings;
  const RunLength length{.steps = 1000, .steps_per_epoch = 10};
  // Two newest, the best, and the one that is written.
  CHECK(checkpoints_to_come(settings, 0, length, 0) == 4);
  CHECK(checkpoints_to_come(settings, 0, length, 3) == 1);
  CHECK(checkpoints_to_come(settings, 0, length, 9) == 1);
  settings.keep = 7;
  CHECK(checkpoints_to_come(settings, 0, length, 3) == 6);
  // A run that writes fewer.
  CHECK(checkpoints_to_come(settings, 0, {.steps = 3, .steps_per_epoch = 10}, 0) == 1);
  CHECK(checkpoints_to_come(settings, 985, length, 0) == 2);
  settings.every_epochs = 50;
  CHECK(checkpoints_to_come(settings, 0, length, 0) == 2);
  settings.every_steps = 500;
  CHECK(checkpoints_to_come(settings, 0, length, 0) == 4);
  CHECK(checkpoints_to_come(settings, 1000, length, 2) == 1);
}

TEST_CASE("room: too little is an error with the numbers") {
  ScratchDirectory scratch;
  CHECK_NOTHROW(check_room(scratch.path(), 4, 1));
  constexpr std::uint64_t kMuch = std::uint64_t{1} << 55;
  const std::string error = error_text([&] { check_room(scratch.path(), 3, kMuch); });
  CHECK(error.starts_with(scratch.path().string() + ": the disk has room for "));
  CHECK(
      error.ends_with(" bytes, and 3 checkpoints of 36,028,797,018,963,968 bytes are to come, "
                      "108,086,391,056,891,904 in all (free some space, or train on another disk)"));
  CHECK_NOTHROW(check_room(scratch / "none", 3, kMuch));  // it does not tell its size
}
