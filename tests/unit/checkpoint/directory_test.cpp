#include "checkpoint/directory.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "error_text.hpp"
#include "scratch_directory.hpp"
#include "support/file_lock.hpp"

using namespace headwater;

namespace {

struct Save {
  bool is_best = false;
  int keep = 2;
  std::function<bool(std::int64_t)> counts = {};
  std::string text = "text";
};

fs::path save(const fs::path& model, std::int64_t step, const Save& how = {}) {
  CheckpointWriter writer(model, step);
  writer.add_file("model.safetensors", how.text + std::to_string(step));
  writer.add_file("state.json", "{}");
  return writer.finish({.is_best = how.is_best, .keep_newest = how.keep, .counts = how.counts});
}

// The entries of a folder, sorted, each with its target where it is a link.
std::string listing(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::string name = entry.path().filename();
    if (entry.is_symlink()) name += ">" + fs::read_symlink(entry.path()).string();
    names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : " ") + name;
  return out;
}

pid_t dead_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

void damage(const fs::path& file) {
  fs::remove(file);
  write_new_file(file, "damaged");
}

}  // namespace

TEST_CASE("checkpoints: saving, links and pruning") {
  ScratchDirectory scratch;
  const fs::path model = scratch / "runs/model", checkpoints = model / "checkpoints";
  CHECK(save(model, 20, {.is_best = true}) == checkpoints / "20");
  CHECK(listing(checkpoints) == "20 best>20 latest>20");
  save(model, 40);
  save(model, 60);
  CHECK(listing(checkpoints) == "20 40 60 best>20 latest>60");
  save(model, 80);
  CHECK(listing(checkpoints) == "20 60 80 best>20 latest>80");
  save(model, 100, {.is_best = true});
  CHECK(listing(checkpoints) == "100 80 best>100 latest>100");
  save(model, 120, {.keep = 0});  // never fewer than two
  CHECK(listing(checkpoints) == "100 120 best>100 latest>120");
  save(model, 140, {.keep = 3});
  CHECK(listing(checkpoints) == "100 120 140 best>100 latest>140");
  CHECK(listing(checkpoints / "140") == "MANIFEST.json model.safetensors state.json");
  CHECK(read_file(checkpoints / "latest/model.safetensors") == "text140");
  CHECK_NOTHROW(verify_checkpoint(checkpoints / "best"));
}

TEST_CASE("checkpoints: those that do not count go when two newer ones are there, the best stays") {
  ScratchDirectory scratch;
  const fs::path model = scratch / "model", checkpoints = model / "checkpoints";
  const Save how{.keep = 2, .counts = [](std::int64_t step) { return step % 50 == 0; }};
  const auto best = [&] {
    Save best_one = how;
    best_one.is_best = true;
    return best_one;
  }();
  for (const std::int64_t step : {10, 20}) save(model, step, best);
  save(model, 50, how);
  CHECK(listing(checkpoints) == "20 50 best>20 latest>50");
  for (const std::int64_t step : {60, 70, 100, 110}) save(model, step, how);
  CHECK(listing(checkpoints) == "100 110 20 50 best>20 latest>110");
  for (const std::int64_t step : {120, 150}) save(model, step, best);
  CHECK(listing(checkpoints) == "100 120 150 best>150 latest>150");
}

TEST_CASE("checkpoints: steps count as numbers and nothing else is touched") {
  ScratchDirectory scratch;
  const fs::path model = scratch / "model", checkpoints = model / "checkpoints";
  for (const std::int64_t step : {9, 10, 100}) save(model, step, {.keep = 9});
  for (const char* name : {"007", "1x", "-3", "notes", "99999999999999999999"})
    fs::create_directory(checkpoints / name);
  std::vector<std::int64_t> steps;
  for (const Checkpoint& checkpoint : list_checkpoints(model)) steps.push_back(checkpoint.step);
  CHECK(steps == std::vector<std::int64_t>{100, 10, 9});
  save(model, 101);
  CHECK(listing(checkpoints) == "-3 007 100 101 1x 99999999999999999999 latest>101 notes");
  CHECK(list_checkpoints(scratch / "nothing").empty());
}

TEST_CASE("checkpoints: without finish nothing stays") {
  ScratchDirectory scratch;
  const fs::path model = scratch / "model";
  save(model, 20);
  {
    CheckpointWriter writer(model, 40);
    writer.add_file("model.safetensors", "x");
    CHECK(listing(model / "checkpoints") == draft_name(40, "") + " 20 latest>20");
    CHECK(error_text([&] {
            writer.add_file("model.safetensors", "y");
          }).ends_with(": cannot create: file exists"));
  }
  CHECK(listing(model / "checkpoints") == "20 latest>20");
}

TEST_CASE("checkpoints: a producer that fails leaves nothing") {
  ScratchDirectory scratch;
  const fs::path model = scratch / "model";
  save(model, 20);
  const auto attempt = [&] {
    CheckpointWriter writer(model, 40);
    writer.add_file("model.safetensors", [](const ByteSink& sink) {
      sink("half");
      throw Error("loss is NaN");
    });
  };
  CHECK(error_text(attempt) == "loss is NaN");
  CHECK(listing(model / "checkpoints") == "20 latest>20");
}

TEST_CASE("checkpoints: the same step again replaces it") {
  ScratchDirectory scratch;
  const fs::path model = scratch / "model";
  save(model, 20);
  save(model, 40, {.text = "old"});
  damage(model / "checkpoints/40/state.json");
  save(model, 40, {.text = "new"});
  CHECK(listing(model / "checkpoints") == "20 40 latest>40");
  CHECK(read_file(model / "checkpoints/40/model.safetensors") == "new40");
  CHECK_NOTHROW(verify_checkpoint(model / "checkpoints/40"));
}

TEST_CASE("checkpoints: the newest valid one is found and the others are explained") {
  ScratchDirectory scratch;
  const fs::path model = scratch / "model", checkpoints = model / "checkpoints";
  std::vector<std::string> skipped;
  CHECK_FALSE(newest_valid_checkpoint(model, skipped));
  for (const std::int64_t step : {20, 40, 60, 80}) save(model, step, {.keep = 9});
  CHECK(newest_valid_checkpoint(model, skipped)->step == 80);
  CHECK(skipped.empty());
  damage(checkpoints / "80/model.safetensors");
  fs::remove(checkpoints / "60/MANIFEST.json");
  const auto found = newest_valid_checkpoint(model, skipped);
  REQUIRE(found);
  CHECK(found->step == 40);
  CHECK(found->path == checkpoints / "40");
  REQUIRE(skipped.size() == 2);
  CHECK(skipped[0] == (checkpoints / "80/model.safetensors").string() + ": has 7 bytes, the manifest says 6");
  CHECK(skipped[1] ==
        (checkpoints / "60/MANIFEST.json").string() + ": cannot open: no such file or directory");
  damage(checkpoints / "40/state.json");
  damage(checkpoints / "20/state.json");
  skipped.clear();
  CHECK_FALSE(newest_valid_checkpoint(model, skipped));
  CHECK(skipped.size() == 4);
}

TEST_CASE("checkpoints: drafts of this machine are removed, and nothing else") {
  ScratchDirectory scratch;
  const fs::path model = scratch / "model", checkpoints = model / "checkpoints";
  save(model, 20);
  const std::string mine = draft_name(40, "");
  std::string other = mine;
  char& digit = other[std::string_view(".headwater-draft-").size()];
  digit = digit == '0' ? '1' : '0';
  for (const std::string& draft : {mine, other}) {
    fs::create_directory(checkpoints / draft);
    write_new_file(checkpoints / draft / "model.safetensors", "half");
    fs::create_symlink("20", checkpoints / (draft + "-link"));
    write_new_file(model / (draft + "-log.csv"), "half");
  }
  // A file that a process writes under a name of its own: one that is gone, one that runs, one that had the
  // number of this process, and one that has ended and is still listed.
  const pid_t ended = ::fork();
  if (ended == 0) ::_exit(0);
  siginfo_t unused{};
  ::waitid(P_PID, static_cast<id_t>(ended), &unused, WEXITED | WNOWAIT);
  const std::string gone = draft_name("a.json.tmp-" + std::to_string(dead_process()) + "-0"),
                    running = draft_name("a.json.tmp-" + std::to_string(::getppid()) + "-0"),
                    reused = draft_name("a.json.tmp-" + std::to_string(::getpid()) + "-0"),
                    zombie = draft_name("a.json.tmp-" + std::to_string(ended) + "-0");
  for (const std::string& draft : {gone, running, reused, zombie}) write_new_file(model / draft, "half");
  // Names of users, and those of version 0.1.0, with the number of a process that is gone.
  const std::string dead = std::to_string(dead_process());
  const std::vector<std::string> users = {
      ".notes.tmp-20241128", ".backup.tmp-2024-11-28", ".draft.tmp-" + dead,   ".log.csv.tmp-" + dead + "-0",
      ".tmp-40-" + dead,     ".headwater-draft",       ".headwater-draft-x-1", ".headwater-draft-" + dead};
  for (const std::string& name : users) {
    for (const fs::path& folder : {model, checkpoints}) {
      fs::create_directories(folder / name / "deep");
      write_new_file(folder / name / "deep" / "book", "precious");
    }
  }
  std::vector<fs::path> foreign = clean_up(model);
  ::waitpid(ended, nullptr, 0);
  std::sort(foreign.begin(), foreign.end());
  CHECK(foreign == std::vector<fs::path>{model / (other + "-log.csv"), checkpoints / other,
                                         checkpoints / (other + "-link")});
  CHECK(read_file(checkpoints / other / "model.safetensors") == "half");
  CHECK_FALSE(is_taken(checkpoints / mine));
  CHECK_FALSE(is_taken(checkpoints / (mine + "-link")));
  CHECK_FALSE(is_taken(model / (mine + "-log.csv")));
  CHECK_FALSE(is_taken(model / gone));
  CHECK_FALSE(is_taken(model / reused));
  CHECK_FALSE(is_taken(model / zombie));
  CHECK(is_taken(model / running));
  for (const std::string& name : users) {
    for (const fs::path& folder : {model, checkpoints})
      CHECK(read_file(folder / name / "deep" / "book") == "precious");
  }
  CHECK_NOTHROW(clean_up(scratch / "nothing"));
}

TEST_CASE("checkpoints: recovery sets the links that a killed save did not") {
  ScratchDirectory scratch;
  const fs::path model = scratch / "model", checkpoints = model / "checkpoints";
  const auto relink = [&](const std::string& name, const std::string& target) {
    fs::remove(checkpoints / name);
    fs::create_symlink(target, checkpoints / name);
  };
  std::vector<std::string> skipped;
  CHECK_FALSE(recover(model, skipped));
  save(model, 20, {.is_best = true, .keep = 9});
  save(model, 40, {.is_best = true, .keep = 9});
  // killed after the rename, before the links
  relink("latest", "20");
  relink("best", "20");
  CHECK(recover(model, skipped)->step == 40);
  CHECK(listing(checkpoints) == "20 40 best>40 latest>40");
  // nothing to do: an older best stays
  save(model, 60, {.keep = 9});
  CHECK_FALSE(recover(model, skipped)->is_best);
  CHECK(listing(checkpoints) == "20 40 60 best>40 latest>60");
  CHECK(skipped.empty());
  // the best is damaged: the one before it takes its place
  damage(checkpoints / "40/state.json");
  CHECK(recover(model, skipped)->step == 60);
  CHECK(listing(checkpoints) == "20 40 60 best>20 latest>60");
  // the newest is damaged
  damage(checkpoints / "60/state.json");
  CHECK(recover(model, skipped)->step == 20);
  CHECK(skipped.size() == 2);
  CHECK(listing(checkpoints) == "20 40 60 best>20 latest>20");
}

TEST_CASE("checkpoints: a new start removes them all") {
  ScratchDirectory scratch;
  const fs::path model = scratch / "model";
  save(model, 20, {.is_best = true});
  save(model, 40);
  remove_checkpoints(model);
  CHECK(listing(model / "checkpoints").empty());
  CHECK_NOTHROW(remove_checkpoints(scratch / "nothing"));
}

TEST_CASE("checkpoints: the model's files are links through best") {
  ScratchDirectory scratch;
  const fs::path model = scratch / "model";
  save(model, 20, {.is_best = true});
  link_best_files(model, {"model.safetensors", "state.json"});
  CHECK(listing(model) ==
        "checkpoints model.safetensors>checkpoints/best/model.safetensors "
        "state.json>checkpoints/best/state.json");
  CHECK(read_file(model / "model.safetensors") == "text20");
  save(model, 40, {.is_best = true});
  link_best_files(model, {"model.safetensors", "state.json"});
  CHECK(read_file(model / "model.safetensors") == "text40");
  fs::remove(model / "state.json");
  write_new_file(model / "state.json", "mine");
  link_best_files(model, {"of-a-newer-version.json"});  // this best checkpoint lacks it
  CHECK(!fs::is_symlink(fs::symlink_status(model / "of-a-newer-version.json")));
  CHECK(error_text([&] { link_best_files(model, {"state.json"}); }) ==
        (model / "state.json").string() +
            ": is no link to the best checkpoint (move it away, or train into another directory)");
  CHECK(read_file(model / "state.json") == "mine");
}

TEST_CASE("checkpoints: the run lock stands in the directory it protects") {
  ScratchDirectory scratch;
  const fs::path model = scratch / "a/b/model";
  const FileLock lock(run_lock_path(model));
  CHECK(error_text([&] { FileLock{run_lock_path(model)}; }).find("in use by process ") != std::string::npos);
}

TEST_CASE("checkpoints: a place that cannot be written says so") {
  ScratchDirectory scratch;
  write_new_file(scratch / "file", "x");
  CHECK(error_text([&] {
          CheckpointWriter{scratch / "file", 1};
        }) == (scratch / "file").string() + ": cannot create: file exists");
  CHECK(error_text([] { run_lock_path("/proc/none"); }).starts_with("/proc/none: cannot create: "));
}
