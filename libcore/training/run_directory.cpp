#include "training/run_directory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "checkpoint/safetensors.hpp"
#include "families/config.hpp"
#include "families/model_directory.hpp"
#include "families/registry.hpp"
#include "support/bits_version.hpp"
#include "support/directories.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/name_list.hpp"
#include "support/split.hpp"
#include "training/room.hpp"

namespace headwater {

namespace {

constexpr std::string_view kLogBegins = "step,epoch,";

// Under a draft's name first. A link is replaced: nothing outside of the directory is written to. The
// permissions of a file that it replaces stay.
void write_log(const fs::path& path, std::string_view text) {
  const fs::path draft = path.parent_path() / draft_name(path.filename().native());
  std::error_code error;
  fs::remove(draft, error);
  try {
    NewFile file(draft);
    const fs::file_status before = fs::symlink_status(path, error);
    if (fs::is_regular_file(before)) fs::permissions(draft, before.permissions(), error);
    file.write(text);
    file.finish();
    fs::rename(draft, path, error);
    if (error) fail_io(path, "cannot rename into place", error.value());
  } catch (...) {
    fs::remove(draft, error);
    throw;
  }
  sync_directory(path.parent_path());
}

// Whether a checkpoint's file is the one that this run would write, as far as a run depends on it.
bool is_same(const fs::path& saved, const DirectoryFile& file) {
  const std::string bytes = read_file(saved);
  if (file.member.empty()) return bytes == file.bytes;
  const Json theirs = Json::parse(bytes, saved.string()), ours = Json::parse(file.bytes, file.name);
  const Json* const member = theirs.find(file.member);
  return member != nullptr && member->dump() == ours.at(file.member).dump();
}

// Escaped as in token lines, so that a text is one field of one line.
void append_as_field(std::string& line, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '\\':
        line += "\\\\";
        break;
      case '\t':
        line += "\\t";
        break;
      case '\n':
        line += "\\n";
        break;
      case '\r':
        line += "\\r";
        break;
      default:
        line += c;
    }
  }
}

// The fields of a row under the columns of a newer version; nothing in those that it did not have.
std::string in_columns(std::string_view row, std::string_view old_header, std::string_view header) {
  const std::vector<std::string_view> fields = split(row, ','), names = split(old_header, ',');
  std::string moved;
  for (const std::string_view name : split(header, ',')) {
    const std::size_t at = std::find(names.begin(), names.end(), name) - names.begin();
    if (name != "step") moved += ',';
    if (at < std::min(names.size(), fields.size())) moved += fields[at];
  }
  return moved;
}

std::optional<std::int64_t> best_step(const fs::path& directory) {
  return linked_step(directory / kCheckpoints / kBest);
}

}  // namespace

std::string another_run(const fs::path& directory) {
  return "; choose another --output, with --init-from " + shown(directory) + " to begin with its weights";
}

RunDirectory::RunDirectory(fs::path directory, const Recipe& recipe, std::vector<DirectoryFile> files,
                           std::string log_header, ExistingRun existing,
                           std::function<void(const std::string&)> tell)
    : directory_(std::move(directory)),
      recipe_(recipe),
      files_(std::move(files)),
      log_header_(std::move(log_header)),
      tell_(std::move(tell)),
      is_made_(!is_taken(directory_)) {
  const fs::path lock = run_lock_path(directory_);
  const bool is_first = !is_taken(lock);
  lock_ = std::make_unique<FileLock>(lock);
  try {
    check_output_names(directory_, linked_names());
    check_own_files();
    for (const fs::path& draft : clean_up(directory_))
      tell_(shown(draft) + ": a run on another machine wrote it (remove it once that run has ended)");
  } catch (...) {  // the directory is somebody else's: nothing of a run stays in it
    std::error_code ignored;
    if (is_first) fs::remove(lock, ignored);  // while it is held: who waits for it finds it gone
    throw;
  }
  overwrites_ = existing == ExistingRun::overwrite;
  if (overwrites_) return;
  std::vector<std::string> skipped;
  const std::optional<std::int64_t> last_best = best_step(directory_);
  newest_ = recover(directory_, skipped);
  for (const std::string& line : skipped) tell_("skipped a checkpoint: " + line);
  if (!newest_ && !skipped.empty())
    throw Error(shown(directory_) +
                ": every checkpoint is damaged (bring one back, or start anew with --overwrite)");
  std::error_code ignored;
  starts_anew_ = !newest_ && fs::exists(directory_ / "log.csv", ignored);
  has_checkpoint_ = newest_.has_value();
  if (!newest_) return;
  check_best(last_best);
  const fs::path recipe_path = newest_->path / "recipe.yaml";
  compare_recipes(parse_recipe(read_file(recipe_path, 1 << 20), recipe_path.string()));
  compare_bits_versions();
}

// The weights that the run is to give must be there, also where it goes on from a later checkpoint. A best
// one of a later step will be written again.
void RunDirectory::check_best(std::optional<std::int64_t> last_best) const {
  const std::optional<std::int64_t> best = best_step(directory_);
  if (best && best == last_best && *best < newest_->step) {
    try {
      verify_checkpoint(directory_ / kCheckpoints / std::to_string(*best));
      return;
    } catch (const Error& error) {
      throw Error(std::string(error.what()) +
                  "; it is the best of the run (bring it back, or start anew with --overwrite)");
    }
  }
  if (last_best && *last_best < newest_->step && best && best != last_best && best != newest_->step)
    tell_("the best checkpoint, " + std::to_string(*last_best) + ", is damaged; " + std::to_string(*best) +
          " takes its place");
}

RunDirectory::~RunDirectory() {
  if (!is_made_ || has_checkpoint_) return;
  const fs::path lock = directory_ / kLockName;
  std::error_code error;
  const std::vector<fs::path> all = list_folder(directory_, error);
  if (error || all != std::vector<fs::path>{lock}) return;
  fs::remove(lock, error);  // while it is held: who waits for it finds it gone
  lock_.reset();
  fs::remove(directory_, error);
}

void RunDirectory::compare_recipes(const Recipe& saved) {
  saved_epochs_ = saved.training.epochs;
  const std::vector<std::string> keys = differences(recipe_, saved);
  if (keys.empty()) return;
  const std::string list = joined(keys, "; ");
  bool is_another = false;
  for (const std::string& key : keys) {
    const bool is_length = key.starts_with("training.epochs:") || key.starts_with("training.max_steps:");
    has_new_length_ = has_new_length_ || is_length;
    const bool changes_bits = !key.starts_with("training.checkpoint.") &&
                              !key.starts_with("data.test_orders:") &&
                              !key.starts_with("decoding.shortlist.") && !key.starts_with("expected[");
    is_another = is_another || (!is_length && changes_bits);
  }
  if (is_another)
    throw UsageError(shown(directory_) + ": holds a run of another recipe (" + list +
                     "); choose another --output, or start anew with --overwrite");
  if (has_new_length_ && depends_on_length(recipe_.training.schedule))
    throw UsageError(shown(directory_) + ": the rates of its " +
                     std::string(name_of(recipe_.training.schedule.kind)) +
                     " schedule depend on the length of the run, which cannot change under way (" + list +
                     ")" + another_run(directory_));
  for (const std::string& key : keys) {
    const std::size_t here = key.find(" here, ");
    changes_.push_back(key.substr(0, here) + ", was " +
                       key.substr(here + 7, key.size() - here - 7 - std::string_view(" there").size()));
  }
}

void RunDirectory::compare_bits_versions() {
  const fs::path path = newest_->path / "config.json";
  if (!is_there(path)) return;
  const auto saved = bits_version(Json::parse(read_file(path), path.string()), path);
  if (saved != kBitsVersion) other_bits_version_ = saved;  // none: it is not known
}

bool RunDirectory::resume(TrainingState& state, Parameters& parameters,
                          const std::vector<Optimizer::State>& states, const TakeNumbers& take) {
  if (overwrites_) remove_checkpoints(directory_);
  if (!newest_) {
    write_log(directory_ / "log.csv", log_header_ + "\n");
    return false;
  }
  const fs::path state_path = newest_->path / "state.json";
  const TrainingState saved = TrainingState::from_json(
      Json::parse(read_file(state_path, 1 << 20), state_path.string()), state_path.string());
  if (saved.data_hash != state.data_hash) {
    throw Error(directory_.string() + ": its examples have the hash " + saved.data_hash + ", these " +
                state.data_hash + " (give the same data, or start anew with --overwrite)");
  }
  for (const DirectoryFile& file : files_) {
    // The same ids may come from other words: the model would answer with words that it never saw.
    if (file.identity.empty() || is_same(newest_->path / file.name, file)) continue;
    throw Error((newest_->path / file.name).string() + ": another " + file.identity +
                " than this one (give the one that the run began with, or start anew with --overwrite)");
  }
  state = saved;
  read_parameters(newest_->path / "model.safetensors", parameters);
  read_states(newest_->path / "optimizer.safetensors", states, parameters, take);
  write_log(directory_ / "log.csv", kept_log(state));
  // The last run may have ended between its first best checkpoint and these links.
  if (fs::is_symlink(directory_ / "checkpoints" / "best")) link_best();
  return true;
}

void RunDirectory::save(const TrainingState& state, const Parameters& parameters,
                        const std::vector<Optimizer::State>& states, bool is_best,
                        std::int64_t steps_per_epoch, const GiveNumbers& give) {
  std::vector<TensorView> tensors;
  for (const auto& p : parameters.all()) {
    check_finite({p->value.data, static_cast<std::size_t>(p->size())}, "the value", *p, state.step);
    tensors.push_back(float_tensor(p->name, p->shape, p->value.data));
  }
  sync_log();  // a checkpoint promises the rows up to its step
  CheckpointWriter writer(directory_, state.step);
  writer.add_file("model.safetensors", [&](const ByteSink& sink) { write_safetensors(tensors, {}, sink); });
  writer.add_file("optimizer.safetensors",
                  [&](const ByteSink& sink) { write_states(states, parameters, give, state.step, sink); });
  for (const DirectoryFile& file : files_) writer.add_file(file.name, file.bytes);
  writer.add_file("recipe.yaml", print_recipe(recipe_));
  writer.add_file("state.json", state.to_json().dump(2) + "\n");
  const CheckpointSettings& settings = recipe_.training.checkpoint;
  CheckpointWriter::Finish finish{.is_best = is_best, .keep_newest = static_cast<int>(settings.keep)};
  if (settings.every_epochs > 1)
    finish.counts = [every = settings.every_epochs * steps_per_epoch](std::int64_t step) {
      return step % every == 0;
    };
  writer.finish(finish);
  has_checkpoint_ = true;
  if (is_best) link_best();
}

void RunDirectory::check_room(std::int64_t step, const RunLength& length, const Parameters& parameters,
                              std::int64_t bytes_of_states) const {
  std::int64_t bytes = parameters.size() * static_cast<std::int64_t>(sizeof(float)) + bytes_of_states;
  for (const DirectoryFile& file : files_) bytes += std::ssize(file.bytes);
  const std::int64_t checkpoints = checkpoints_to_come(recipe_.training.checkpoint, step, length,
                                                       std::ssize(list_checkpoints(directory_)));
  headwater::check_room(directory_, checkpoints, static_cast<std::uint64_t>(bytes));
}

void RunDirectory::check_own_files() const {
  if (!list_checkpoints(directory_).empty()) return;  // then they are the run's, damaged or not
  const auto is_file = [&](std::string_view name) {
    std::error_code ignored;  // a link is replaced, and what it leads to stays
    return fs::is_regular_file(fs::symlink_status(directory_ / name, ignored)) &&
           fs::file_size(directory_ / name, ignored) > 0;
  };
  const auto refuse = [&](std::string_view name) {
    throw Error(shown(directory_ / name) +
                ": is not of a run, which would write it (move it away, or train into another directory)");
  };
  const bool has_log = is_file("log.csv");
  if (has_log && !read_file(directory_ / "log.csv").starts_with(kLogBegins)) refuse("log.csv");
  if (!has_log && !recipe_.training.samples.prompts.empty() && is_file("samples.tsv")) refuse("samples.tsv");
  try {  // a run that failed before its first step has no log yet
    if (!has_log && is_file(kMessagesFile)) read_messages(directory_ / kMessagesFile);
  } catch (const Error&) {
    refuse(kMessagesFile);
  }
}

std::vector<std::string> RunDirectory::linked_names() const {
  std::vector<std::string> names{"model.safetensors", "recipe.yaml"};
  for (const DirectoryFile& file : files_) names.push_back(file.name);
  return names;
}

void RunDirectory::link_best() const { link_best_files(directory_, linked_names()); }

std::string RunDirectory::kept_log(const TrainingState& state) const {
  const fs::path path = directory_ / "log.csv";
  const auto fail = [&](const std::string& what) {
    throw Error(shown(path) + ": " + what + " (bring it back, or start anew with --overwrite)");
  };
  const std::string at_step = "the checkpoint of step " + std::to_string(state.step);
  std::error_code ignored;
  const fs::file_status status = fs::symlink_status(path, ignored);
  if (!fs::exists(status)) fail("is gone, but " + at_step + " is there");
  if (!fs::is_regular_file(status)) fail("is no regular file");
  const std::string text = read_file(path);
  std::size_t at = text.find('\n');
  const std::string_view old_header = std::string_view(text).substr(0, at);
  if (at == std::string::npos || !old_header.starts_with(kLogBegins)) fail("is not the log of a run");
  std::string kept = log_header_ + "\n";
  // Each row that must be there says its step: those of every log_every steps, and one for each epoch.
  const std::int64_t every = recipe_.training.log_every;
  std::int64_t last = 0, last_epoch = 0, missing = every;
  while (at + 1 < text.size()) {
    const std::size_t end = text.find('\n', at + 1);
    if (end == std::string::npos) break;  // a torn last line
    const std::string_view line(text.data() + at + 1, end - at - 1);
    at = end;
    std::int64_t step = 0, epoch = 0;
    const auto number = std::from_chars(line.data(), line.data() + line.size(), step);
    if (number.ptr + 1 < line.data() + line.size())
      std::from_chars(number.ptr + 1, line.data() + line.size(), epoch);
    if (step <= 0 || step > state.step) continue;
    kept.append(old_header == log_header_ ? line : in_columns(line, old_header, log_header_)).append("\n");
    last = step;
    if (step == missing) missing += every;
    if (epoch == last_epoch + 1) last_epoch = epoch;
  }
  const bool ends_an_epoch = state.epoch > 0 && state.position == 0;
  if (missing <= state.step)
    fail("has no row of step " + std::to_string(missing) + ", but " + at_step + " is there");
  if (last_epoch < state.epoch || (ends_an_epoch && last != state.step))
    fail("has no row of the end of epoch " + std::to_string(std::min(last_epoch + 1, state.epoch)) +
         ", but " + at_step + " is there");
  return kept;
}

void RunDirectory::write_samples(std::int64_t epoch, std::span<const std::string> texts) const {
  const fs::path path = directory_ / "samples.tsv";
  std::string all;
  // Nothing is kept of a link.
  if (!fs::is_symlink(path) && is_there(path)) {
    const std::string old_text = read_file(path);
    for (const std::string_view line : split(old_text, '\n')) {
      std::int64_t number = 0;
      const auto read = std::from_chars(line.data(), line.data() + line.size(), number);
      if (read.ec == std::errc() && number < epoch) all.append(line).append("\n");
    }
  }
  for (const std::string& text : texts) {
    all.append(std::to_string(epoch)).append("\t");
    append_as_field(all, text);
    all.append("\n");
  }
  write_log(path, all);
}

void RunDirectory::sync_log() const {
  const fs::path path = directory_ / "log.csv";
  const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return;  // somebody removed it: the next row makes it anew
  int status = 0;
  do {
    status = fsync(descriptor);
  } while (status < 0 && errno == EINTR);
  const int reason = errno;
  close(descriptor);
  if (status < 0 && reason != EINVAL && reason != EROFS) fail_io(path, "cannot sync", reason);
}

void RunDirectory::append_log(const std::string& row) {
  const fs::path path = directory_ / "log.csv";
  const std::string line = row + "\n";
  const int descriptor =
      open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  const auto fail = [&](const char* what) {
    throw Error(path.string() + ": " + what + ": " + system_reason(errno) + " (make room and resume)");
  };
  if (descriptor < 0) fail("cannot open");
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t written = write(descriptor, line.data() + done, line.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int reason = errno;
      close(descriptor);
      errno = reason;
      fail("cannot write");
    }
    done += static_cast<std::size_t>(written);
  }
  if (close(descriptor) != 0) fail("cannot write");
}

}  // namespace headwater
