#include "training/run_directory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "checkpoint/safetensors.hpp"
#include "support/error.hpp"
#include "support/split.hpp"
#include "tasks/model_directory.hpp"
#include "tasks/registry.hpp"
#include "tensor/kernels/optimizer/optimizer.hpp"

namespace headwater {

namespace {

void check_finite(std::span<const Real> flat, const Parameters& parameters, const std::string& what,
                  std::int64_t step) {
  for (const auto& p : parameters.all()) {
    const Index at = kernels::find_not_finite(p->size(), flat.data() + p->offset);
    if (at < 0) continue;
    throw Error("step " + std::to_string(step) + ": " + what + " of " + quote(p->name) +
                " is not finite at element " + std::to_string(at) +
                "; this step is not saved (lower training.optimizer.learning_rate; the newest checkpoint "
                "stays as it is)");
  }
}

// In the float build the tensors are views of the flat buffer, written out as they lie.
void add_tensors(std::vector<TensorView>& tensors, const Parameters& parameters, std::span<const Real> flat,
                 const std::string& prefix) {
  if constexpr (std::is_same_v<Real, float>) {
    for (const auto& p : parameters.all()) {
      tensors.push_back(
          float_tensor(prefix + p->name, p->shape, reinterpret_cast<const float*>(flat.data()) + p->offset));
    }
  }
}

// Whether a checkpoint's file is the one that this run would write, as far as a run depends on it.
bool is_same(const fs::path& saved, const DirectoryFile& file) {
  const std::string bytes = read_file(saved);
  if (file.member.empty()) return bytes == file.bytes;
  const Json theirs = Json::parse(bytes, saved.string()), ours = Json::parse(file.bytes, file.name);
  const Json* const member = theirs.find(file.member);
  return member != nullptr && member->dump() == ours.at(file.member).dump();
}

// The fields of a row under the columns of a newer version; nothing in those that it did not have.
std::string in_columns(std::string_view row, std::string_view old_header, std::string_view header) {
  const std::vector<std::string_view> fields = split(row, ','), names = split(old_header, ',');
  std::string moved;
  for (const std::string_view name : split(header, ',')) {
    const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    if (name != "step") moved += ',';
    if (at < std::min(names.size(), fields.size())) moved += fields[at];
  }
  return moved;
}

}  // namespace

std::string log_header(std::span<const std::string_view> figure_names) {
  std::string columns =
      "step,epoch,tokens,loss,accuracy,learning_rate,gradient_norm,validation_loss,validation_accuracy,"
      "reference_loss,reference_accuracy,";
  for (const std::string_view name : figure_names) columns += "validation_" + std::string(name) + ",";
  return columns + "seconds,tokens_per_second";
}

RunDirectory::RunDirectory(fs::path directory, const Recipe& recipe, std::vector<DirectoryFile> files,
                           std::span<const std::string_view> figure_names, ExistingRun existing,
                           std::function<void(const std::string&)> tell)
    : directory_(std::move(directory)),
      recipe_(recipe),
      files_(std::move(files)),
      log_header_(log_header(figure_names)),
      tell_(std::move(tell)) {
  lock_ = std::make_unique<FileLock>(run_lock_path(directory_));
  if (existing == ExistingRun::overwrite) {
    clean_up(directory_);
    remove_checkpoints(directory_);
    return;
  }
  std::vector<std::string> skipped;
  newest_ = recover(directory_, skipped);
  for (const std::string& line : skipped) tell_("skipped a checkpoint: " + line);
  if (!newest_) return;
  const fs::path recipe_path = newest_->path / "recipe.yaml";
  const std::vector<std::string> keys =
      differences(recipe_, parse_recipe(read_file(recipe_path, 1 << 20), recipe_path.string()));
  if (keys.empty()) return;
  std::string list;
  for (const std::string& key : keys) list += (list.empty() ? "" : "; ") + key;
  throw UsageError(directory_.string() + ": holds a run of another recipe (" + list +
                   "); choose another --output or --overwrite");
}

bool RunDirectory::resume(TrainingState& state, Parameters& parameters,
                          const std::vector<Optimizer::State>& states) {
  if (!newest_) {
    start_log(0);
    return false;
  }
  const fs::path state_path = newest_->path / "state.json";
  const TrainingState saved = TrainingState::from_json(
      Json::parse(read_file(state_path, 1 << 20), state_path.string()), state_path.string());
  if (saved.data_hash != state.data_hash) {
    throw Error(directory_.string() + ": its examples have the hash " + saved.data_hash + ", these " +
                state.data_hash + " (give the same data, or --overwrite)");
  }
  for (const DirectoryFile& file : files_) {
    // The same ids may come from other words: the model would answer with words that it never saw.
    if (file.identity.empty() || is_same(newest_->path / file.name, file)) continue;
    throw Error((newest_->path / file.name).string() + ": another " + file.identity +
                " than this one (give the " + file.identity + " that the run began with, or --overwrite)");
  }
  state = saved;
  read_parameters(newest_->path / "model.safetensors", parameters);
  const fs::path optimizer_path = newest_->path / "optimizer.safetensors";
  const Safetensors tensors(optimizer_path);
  for (const Optimizer::State& s : states) {
    for (const auto& p : parameters.all()) {
      const TensorView& tensor = tensors.at(s.name + "." + p->name);
      if (tensor.elements() != p->size()) {
        throw Error(optimizer_path.string() + ": tensor " + quote(tensor.name) + " has " +
                    std::to_string(tensor.elements()) + " elements, the model " + std::to_string(p->size()));
      }
      read_numbers(
          tensor, s.values.subspan(static_cast<std::size_t>(p->offset), static_cast<std::size_t>(p->size())));
    }
  }
  start_log(state.step);
  // The last run may have ended between its first best checkpoint and these links.
  if (fs::is_symlink(directory_ / "checkpoints" / "best")) link_best();
  return true;
}

void RunDirectory::save(const TrainingState& state, const Parameters& parameters,
                        const std::vector<Optimizer::State>& states, bool is_best) {
  check_finite(parameters.values(), parameters, "the value", state.step);
  for (const Optimizer::State& s : states)
    check_finite(s.values, parameters, "the optimizer's " + s.name, state.step);
  sync_log();  // a checkpoint promises the rows up to its step
  CheckpointWriter writer(directory_, state.step);
  std::vector<TensorView> tensors;
  add_tensors(tensors, parameters, parameters.values(), "");
  writer.add_file("model.safetensors", [&](const ByteSink& sink) { write_safetensors(tensors, {}, sink); });
  tensors.clear();
  for (const Optimizer::State& s : states) add_tensors(tensors, parameters, s.values, s.name + ".");
  writer.add_file("optimizer.safetensors",
                  [&](const ByteSink& sink) { write_safetensors(tensors, {}, sink); });
  for (const DirectoryFile& file : files_) writer.add_file(file.name, file.bytes);
  writer.add_file("recipe.yaml", print_recipe(recipe_));
  writer.add_file("state.json", state.to_json().dump(2) + "\n");
  writer.finish({.is_best = is_best, .keep_newest = static_cast<int>(recipe_.training.checkpoint.keep)});
  if (is_best) link_best();
}

void RunDirectory::link_best() const {
  std::vector<std::string> names{"model.safetensors", "recipe.yaml"};
  for (const DirectoryFile& file : files_) names.push_back(file.name);
  link_best_files(directory_, names);
}

void RunDirectory::start_log(std::int64_t last_step) {
  const fs::path path = directory_ / "log.csv";
  const std::string& header = log_header_;
  std::string kept = header + "\n";
  std::error_code ignored;
  if (last_step > 0 && fs::exists(path, ignored)) {
    const std::string text = read_file(path);
    std::size_t at = text.find('\n');
    const std::string_view old_header = std::string_view(text).substr(0, at);
    while (at != std::string::npos && at + 1 < text.size()) {
      const std::size_t end = text.find('\n', at + 1);
      if (end == std::string::npos) break;  // a torn last line
      const std::string_view line(text.data() + at + 1, end - at - 1);
      std::int64_t step = 0;
      std::from_chars(line.data(), line.data() + line.size(), step);
      if (step > 0 && step <= last_step)
        kept.append(old_header == header ? line : in_columns(line, old_header, header)).append("\n");
      at = end;
    }
  }
  write_file(path, kept);
}

void RunDirectory::sync_log() const {
  const fs::path path = directory_ / "log.csv";
  const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
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
  const int descriptor = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  const auto fail = [&](const char* what) {
    throw Error(path.string() + ": " + what + ": " + std::strerror(errno) + " (make room and resume)");
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
