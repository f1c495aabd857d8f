// The checkpoints that writer_probe saves, and the question whether one of them is there whole.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checkpoint/directory.hpp"
#include "support/error.hpp"
#include "support/random.hpp"

// Large enough for several pieces on the way to the disk.
inline std::vector<float> probe_weights(std::int64_t step) {
  std::vector<float> values(20'000);
  const headwater::RandomStream stream{.seed = 1, .step = static_cast<std::uint32_t>(step)};
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = random_uniform(stream, i);
  return values;
}

inline std::string probe_state(std::int64_t step) { return "{\"step\":" + std::to_string(step) + "}\n"; }

// Throws Error where a number of the checkpoint differs from what was saved.
inline void check_probe_checkpoint(const headwater::Checkpoint& checkpoint) {
  using namespace headwater;
  const Safetensors model(checkpoint.path / "model.safetensors");
  std::vector<float> values;
  for (const TensorView& tensor : model.tensors()) {
    for (const float value : read_floats(tensor)) values.push_back(value);
  }
  if (values != probe_weights(checkpoint.step))
    throw Error(shown(checkpoint.path) + ": other weights than were saved");
  if (read_file(checkpoint.path / "state.json") != probe_state(checkpoint.step)) {
    throw Error(shown(checkpoint.path) + ": other state than was saved");
  }
}

// The step of the newest valid checkpoint; throws Error where none loads, or one that is not whole stands
// before it.
inline std::int64_t load_probe_checkpoint(const headwater::fs::path& directory) {
  using namespace headwater;
  std::vector<std::string> skipped;
  const auto newest = newest_valid_checkpoint(directory, skipped);
  if (!newest)
    throw Error(shown(directory) + ": no checkpoint loads" + (skipped.empty() ? "" : "; " + skipped.front()));
  if (!skipped.empty()) throw Error(shown(directory) + ": a half checkpoint shows: " + skipped.front());
  check_probe_checkpoint(*newest);
  return newest->step;
}
