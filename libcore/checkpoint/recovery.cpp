// Finding checkpoints again: listing, verifying from the newest, cleaning up after dead processes.
#include <algorithm>
#include <charconv>
#include <system_error>

#include "checkpoint/directory.hpp"
#include "checkpoint/directory_names.hpp"
#include "support/directories.hpp"
#include "support/error.hpp"

namespace headwater {

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
