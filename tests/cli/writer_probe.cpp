// Saves and loads checkpoints for checkpoint_faults.sh, which stops it at every system call.
//   writer_probe start DIR          what every run does before it touches a model directory: nothing
//   writer_probe save DIR STEP      lock, recover, save STEP (where it is not there yet) as the best, link
//   the root's files writer_probe load DIR STEP...   the newest valid checkpoint is one of STEPs, and its
//   contents are those of its step
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "checkpoint/directory.hpp"
#include "probe_checkpoint.hpp"
#include "support/error.hpp"
#include "support/file_lock.hpp"
#include "support/hash.hpp"

using namespace headwater;

namespace {

std::string model_text(std::int64_t step) {
  const std::vector<float> values = probe_weights(step);
  return to_safetensors({float_tensor("layer", {20'000}, values.data())});
}

void save_carelessly(const fs::path& directory, std::int64_t step) {
  const fs::path target = directory / "checkpoints" / std::to_string(step);
  const std::string model = model_text(step), text = probe_state(step);
  fs::create_directories(target);
  write_new_file(target / kManifestName,
                 manifest_text({.is_best = true,
                                .files = {{"model.safetensors", model.size(), hash128(model)},
                                          {"state.json", text.size(), hash128(text)}}}));
  write_new_file(target / "model.safetensors", model);
  write_new_file(target / "state.json", text);
}

void save(const fs::path& directory, std::int64_t step) {
  const FileLock lock(run_lock_path(directory));
  clean_up(directory);
  std::vector<std::string> skipped;
  const auto newest = recover(directory, skipped);
  if (!newest || newest->step < step) {
    const std::vector<float> values = probe_weights(step);
    std::vector<TensorView> tensors;
    for (std::int64_t i = 0; i < 4; ++i) {
      tensors.push_back(float_tensor("layer." + std::to_string(i), {50, 100}, values.data() + 5000 * i));
    }
    CheckpointWriter writer(directory, step);
    writer.add_file("model.safetensors", [&](const ByteSink& sink) { write_safetensors(tensors, {}, sink); });
    writer.add_file("state.json", probe_state(step));
    writer.finish({.is_best = true, .keep_newest = 2});
  }
  link_best_files(directory, {"model.safetensors", "state.json"});
}

void load(const fs::path& directory, const std::vector<std::int64_t>& allowed) {
  const std::int64_t step = load_probe_checkpoint(directory);
  if (std::find(allowed.begin(), allowed.end(), step) == allowed.end()) {
    throw Error(shown(directory) + ": step " + std::to_string(step) + " is not one that was expected");
  }
  // The links must lead to something whole as soon as they exist.
  for (const char* link : {"latest", "best"}) {
    const fs::path path = directory / "checkpoints" / link;
    if (fs::is_symlink(path)) verify_checkpoint(path);
  }
  std::printf("%lld\n", static_cast<long long>(step));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 2 ? argv[1] : "";
  std::vector<std::int64_t> steps;
  for (int i = 3; i < argc; ++i) steps.push_back(std::atoll(argv[i]));
  try {
    if (mode == "start") return 0;
    if (mode == "save" && steps.size() == 1) {
      save(argv[2], steps[0]);
    } else if (mode == "careless" && steps.size() == 1) {
      save_carelessly(argv[2], steps[0]);
    } else if (mode == "load") {
      load(argv[2], steps);
    } else {
      return 2;
    }
  } catch (const Error& error) {
    std::fprintf(stderr, "writer_probe: %s\n", error.what());
    return 1;
  }
  return 0;
}
