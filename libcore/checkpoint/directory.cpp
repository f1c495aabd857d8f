// Writing checkpoints: temporary folder, manifest, rename, links, pruning. Finding them again: listing,
// verifying from the newest, cleaning up after dead processes.
#include "checkpoint/directory.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <new>

#include "support/directories.hpp"
#include "support/error.hpp"
#include "support/hash.hpp"

namespace headwater {

namespace {

// Like mkdir -p; the folder that got a new entry is synced.
void create_directories_durably(const fs::path& directory) {
  std::error_code error;
  if (directory.empty() || fs::is_directory(directory, error)) return;
  create_directories_durably(directory.parent_path());
  const bool is_new = fs::create_directory(directory, error);
  if (error) fail_io(directory, "cannot create", error.value());
  if (is_new) sync_directory(directory.has_parent_path() ? directory.parent_path() : fs::path("."));
}

void rename_checked(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) fail_io(to, "cannot rename into place", error.value());
}

// First under a name that is no checkpoint's: a half removed one must not look like a damaged one.
void remove_checkpoint(const fs::path& checkpoints, const fs::path& path, std::int64_t step) {
  const fs::path condemned = checkpoints / draft_name(step, "-removed");
  std::error_code error;
  remove_tree(condemned, error);
  if (!error) fs::rename(path, condemned, error);
  if (!error) remove_tree(condemned, error);
  if (error) fail_io(path, "cannot remove", error.value());
}

// Puts `from` at `to` where a folder of that name stands, without a moment in which none does.
void exchange(const fs::path& from, const fs::path& to, const fs::path& aside) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) return;
  if (errno != EINVAL && errno != ENOSYS) {
    fail_io(to, "cannot replace", errno);
  }
  // A file system without the exchange: for a moment the older checkpoints are the newest.
  rename_checked(to, aside);
  rename_checked(from, to);
}

void prune(const fs::path& model_directory, std::int64_t just_written, const CheckpointWriter::Finish& how) {
  const fs::path checkpoints = model_directory / kCheckpoints;
  const std::optional<std::int64_t> best = linked_step(checkpoints / kBest);
  int newer = 0, counted = 0;
  for (const Checkpoint& checkpoint : list_checkpoints(model_directory)) {
    const bool is_counted = !how.counts || how.counts(checkpoint.step);
    const bool is_kept = newer++ < 2 || (is_counted && counted < how.keep_newest);
    counted += is_counted;
    if (is_kept || checkpoint.step == just_written || checkpoint.step == best) continue;
    remove_checkpoint(checkpoints, checkpoint.path, checkpoint.step);
  }
}

}  // namespace

Manifest::File write_listed_file(const fs::path& path, const std::function<void(const ByteSink&)>& produce) {
  NewFile file(path);
  Hasher hasher;
  std::uint64_t size = 0;
  produce([&](std::string_view bytes) {
    hasher.update(bytes);
    file.write(bytes);
    size += bytes.size();
  });
  file.finish();
  return {path.filename().string(), size, hasher.digest()};
}

void swap_link(const fs::path& link, const std::string& target, const fs::path& temporary) {
  std::error_code error;
  if (fs::is_symlink(fs::symlink_status(link, error)) && fs::read_symlink(link, error) == target) return;
  fs::remove(temporary, error);
  fs::create_symlink(target, temporary, error);
  if (error) fail_io(link, "cannot create the link", error.value());
  rename_checked(temporary, link);
}

CheckpointWriter::CheckpointWriter(fs::path model_directory, std::int64_t step)
    : model_directory_(std::move(model_directory)), step_(step) {
  const fs::path checkpoints = model_directory_ / kCheckpoints;
  create_directories_durably(checkpoints);
  temporary_ = checkpoints / draft_name(step, "");
  std::error_code error;
  remove_tree(temporary_, error);
  const bool is_new = fs::create_directory(temporary_, error);
  // What could not be removed may be a link to a folder elsewhere.
  if (error || !is_new) fail_io(temporary_, "cannot create", error ? error.value() : EEXIST);
}

CheckpointWriter::~CheckpointWriter() {
  if (temporary_.empty()) return;
  try {
    std::error_code ignored;
    remove_tree(temporary_, ignored);
  } catch (const std::bad_alloc&) {  // the next run cleans up
  }
}

void CheckpointWriter::add_file(std::string_view name, std::string_view bytes) {
  add_file(name, [&](const ByteSink& sink) { sink(bytes); });
}

void CheckpointWriter::add_file(std::string_view name, const std::function<void(const ByteSink&)>& produce) {
  manifest_.files.push_back(write_listed_file(temporary_ / name, produce));
}

fs::path CheckpointWriter::finish(const Finish& how) {
  const fs::path checkpoints = model_directory_ / kCheckpoints;
  const std::string step = std::to_string(step_);
  fs::path target = checkpoints / step;
  manifest_.is_best = how.is_best;
  write_new_file(temporary_ / kManifestName, manifest_text(manifest_));
  sync_directory(temporary_);

  std::error_code error;
  if (fs::is_directory(target, error)) {
    const fs::path replaced = checkpoints / draft_name(step_, "-replaced");
    remove_tree(replaced, error);
    exchange(temporary_, target, replaced);
    sync_directory(checkpoints);
    remove_tree(replaced, error);
    remove_tree(temporary_, error);  // now the old one
  } else {
    rename_checked(temporary_, target);
    sync_directory(checkpoints);
  }
  temporary_.clear();

  const fs::path link = checkpoints / draft_name(step_, "-link");
  swap_link(checkpoints / kLatest, step, link);
  if (how.is_best) swap_link(checkpoints / kBest, step, link);
  sync_directory(checkpoints);
  prune(model_directory_, step_, how);
  return target;
}

void remove_checkpoints(const fs::path& model_directory) {
  const fs::path checkpoints = model_directory / kCheckpoints;
  std::error_code error;
  fs::remove(checkpoints / kLatest, error);
  if (!error) fs::remove(checkpoints / kBest, error);
  if (error) fail_io(checkpoints, "cannot remove the links", error.value());
  for (const Checkpoint& checkpoint : list_checkpoints(model_directory)) {
    remove_checkpoint(checkpoints, checkpoint.path, checkpoint.step);
  }
}

fs::path run_lock_path(const fs::path& model_directory) {
  create_directories_durably(model_directory);
  // What a run removes and prunes lies in its own directory.
  const fs::path checkpoints = model_directory / kCheckpoints;
  std::error_code ignored;
  if (fs::is_symlink(fs::symlink_status(checkpoints, ignored)))
    throw Error(shown(checkpoints) + ": is a symbolic link, which is not followed (remove it)");
  return model_directory / kLockName;
}

namespace {

// A file that is not there, or that a link can take the place of.
void check_link_name(const fs::path& link) {
  std::error_code ignored;
  const fs::file_status status = fs::symlink_status(link, ignored);
  if (fs::exists(status) && !fs::is_symlink(status)) {
    throw Error(shown(link) +
                ": is no link to the best checkpoint (move it away, or train into another directory)");
  }
}

// A run removes its older checkpoints: a folder of something else, which has a number for its name, is none.
void check_checkpoint(const fs::path& folder) {
  std::error_code error;
  const std::vector<fs::path> files = list_folder(folder, error);
  const bool is_one = std::any_of(files.begin(), files.end(), [](const fs::path& file) {
    const fs::path name = file.filename();
    return name == kManifestName || name == "model.safetensors" || name == "state.json";
  });
  if (!error && !files.empty() && !is_one)
    throw Error(shown(folder) + ": is no checkpoint (move it away, or train into another directory)");
}

}  // namespace

void check_output_names(const fs::path& model_directory, const std::vector<std::string>& names) {
  for (const std::string& name : names) check_link_name(model_directory / name);
  const fs::path checkpoints = model_directory / kCheckpoints, log = model_directory / "log.csv";
  std::error_code ignored;
  const fs::file_status log_status = fs::symlink_status(log, ignored);
  if (fs::exists(log_status) && !fs::is_regular_file(log_status) && !fs::is_symlink(log_status))
    throw Error(shown(log) + ": is no regular file (move it away, or train into another directory)");
  const fs::file_status status = fs::symlink_status(checkpoints, ignored);
  if (!fs::exists(status)) return;
  const auto check_folder = [](const fs::path& path) {
    std::error_code unknown;
    if (!fs::is_directory(fs::symlink_status(path, unknown)))
      throw Error(shown(path) + ": is no folder (move it away, or train into another directory)");
  };
  check_folder(checkpoints);
  for (const std::string_view name : {kLatest, kBest}) check_link_name(checkpoints / name);
  for (const Checkpoint& checkpoint : list_checkpoints(model_directory)) {
    check_folder(checkpoint.path);
    check_checkpoint(checkpoint.path);
  }
}

void link_best_files(const fs::path& model_directory, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const fs::path link = model_directory / name;
    check_link_name(link);
    // A best checkpoint of an older version may lack a file that is written now.
    if (!is_there(model_directory / "checkpoints/best" / name)) continue;
    swap_link(link, "checkpoints/best/" + name, model_directory / draft_name(name));
  }
  sync_directory(model_directory);
}

std::string draft_name(std::int64_t step, std::string_view suffix) {
  return draft_name(std::to_string(step) + std::string(suffix));
}

std::optional<std::int64_t> parse_step(std::string_view name) {
  std::int64_t step = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), step);
  const bool is_step =
      error == std::errc() && end == name.data() + name.size() && step >= 0 && std::to_string(step) == name;
  return is_step ? std::optional(step) : std::nullopt;
}

std::optional<fs::path> link_target(const fs::path& link) {
  std::error_code error;
  fs::path target = fs::read_symlink(link, error);
  if (!error) return target;
  const bool is_none = error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory ||
                       error == std::errc::invalid_argument;
  if (!is_none) fail_io(link, "cannot read the link", error.value());
  return std::nullopt;
}

std::optional<std::int64_t> linked_step(const fs::path& link) {
  const std::optional<fs::path> target = link_target(link);
  return target ? parse_step(target->native()) : std::nullopt;
}

namespace {

// What is in a folder; nothing where it is missing.
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> found = list_folder(folder, error);
  if (error && error != std::errc::no_such_file_or_directory) fail_io(folder, "cannot list", error.value());
  return found;
}

std::optional<Manifest> verified(const fs::path& checkpoint) {
  try {
    return verify_checkpoint(checkpoint);
  } catch (const Error&) {
    return std::nullopt;  // the walk from the newest has reported it, or nothing rests on it
  }
}

// What `best` should point to: the newest checkpoint where that one was the best, else what the link says
// where that is intact (every earlier save has set it), else the newest intact one that was the best of its
// time.
std::optional<std::int64_t> valid_best(const fs::path& model_directory, const Checkpoint& newest) {
  if (newest.is_best) return newest.step;
  const fs::path checkpoints = model_directory / kCheckpoints;
  const std::optional<std::int64_t> linked = linked_step(checkpoints / kBest);
  if (linked && verified(checkpoints / std::to_string(*linked))) return linked;
  for (const Checkpoint& checkpoint : list_checkpoints(model_directory)) {
    const std::optional<Manifest> manifest = verified(checkpoint.path);
    if (manifest && manifest->is_best) return checkpoint.step;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Checkpoint> list_checkpoints(const fs::path& model_directory) {
  std::vector<Checkpoint> found;
  for (const fs::path& entry : entries_of(model_directory / kCheckpoints)) {
    const std::optional<std::int64_t> step = parse_step(entry.filename().native());
    if (step) found.push_back({entry, *step, false});
  }
  std::sort(found.begin(), found.end(),
            [](const Checkpoint& a, const Checkpoint& b) { return a.step > b.step; });
  return found;
}

std::optional<Checkpoint> newest_valid_checkpoint(const fs::path& model_directory,
                                                  std::vector<std::string>& skipped) {
  for (Checkpoint& checkpoint : list_checkpoints(model_directory)) {
    try {
      checkpoint.is_best = verify_checkpoint(checkpoint.path).is_best;
      return checkpoint;
    } catch (const Error& error) {
      skipped.emplace_back(error.what());
    }
  }
  return std::nullopt;
}

std::vector<fs::path> clean_up(const fs::path& model_directory) {
  std::vector<fs::path> foreign = remove_drafts(model_directory);
  const std::vector<fs::path> below = remove_drafts(model_directory / kCheckpoints);
  foreign.insert(foreign.end(), below.begin(), below.end());
  return foreign;
}

std::optional<Checkpoint> recover(const fs::path& model_directory, std::vector<std::string>& skipped) {
  std::optional<Checkpoint> newest = newest_valid_checkpoint(model_directory, skipped);
  if (!newest) return newest;
  const fs::path checkpoints = model_directory / kCheckpoints;
  const fs::path temporary = checkpoints / draft_name(newest->step, "-link");
  swap_link(checkpoints / kLatest, std::to_string(newest->step), temporary);
  if (const std::optional<std::int64_t> best = valid_best(model_directory, *newest)) {
    swap_link(checkpoints / kBest, std::to_string(*best), temporary);
  }
  sync_directory(checkpoints);
  return newest;
}

}  // namespace headwater
