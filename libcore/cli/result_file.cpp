#include "cli/result_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "cli/output.hpp"
#include "support/descriptors.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace headwater::cli {

namespace {

// As the kernel does for open() with fs.protected_symlinks: in a sticky folder that others write to, only
// one's own links are followed, and the folder's owner's.
bool is_trap(const fs::path& link, const fs::path& folder) {
  struct stat of_link {
  }, of_folder{};
  if (::lstat(link.c_str(), &of_link) != 0 || ::stat(folder.c_str(), &of_folder) != 0) return false;
  const bool is_shared = (of_folder.st_mode & S_ISVTX) != 0 && (of_folder.st_mode & S_IWOTH) != 0;
  return is_shared && of_link.st_uid != ::geteuid() && of_link.st_uid != of_folder.st_uid;
}

bool has(const fs::path& folder, const char* name) {
  std::error_code none;
  return fs::exists(folder / name, none);
}

// Tables and pictures beside a model are of those who look at it; the log is the run's.
bool is_of_reader(const fs::path& file) {
  const fs::path end = file.extension();
  return file.filename() != "log.csv" && (end == ".csv" || end == ".npy" || end == ".svg" || end == ".png");
}

// Whether it belongs to a checkpoint or a run of this program; or to another's model, or a copy, which have
// no such list of files.
bool is_file_of_model(const fs::path& file) {
  const fs::path folder = file.parent_path();
  if (has(folder, "MANIFEST.json")) return true;  // checkpoint/ is above this room
  const bool has_weights = has(folder, "model.safetensors") || has(folder, "model.safetensors.index.json") ||
                           has(folder, "pytorch_model.bin");
  const bool is_model = has(folder, "checkpoints/latest") || (has(folder, "config.json") && has_weights);
  return is_model && !is_of_reader(file);
}

// Standard output that the shell has just made, or emptied, as in `inspect model > model/layers`: there is
// nothing to lose any more.
bool is_new_output(const fs::path& path, const fs::path& file) {
  std::error_code none;
  return path == "-" && fs::file_size(file, none) == 0;
}

// The path with all links followed; what is not there stays as it is named.
fs::path canonical_path(const fs::path& path, int descriptor) {
  std::error_code fault;
  // A link that leads to nothing yet is written through: what it leads to is made.
  if (fs::is_symlink(fs::symlink_status(path, fault)) && !fs::exists(path, fault)) {
    const fs::path target = fs::read_symlink(path, fault);
    const fs::path found = fs::weakly_canonical(fs::absolute(path, fault).parent_path() / target, fault);
    return fault ? path : found;
  }
  const fs::path named =
      path == "-" ? fs::path("/proc/self/fd/" + std::to_string(descriptor)) : fs::absolute(path, fault);
  fs::path found = fs::weakly_canonical(named, fault);
  return fault ? named : found;
}

}  // namespace

std::string output_name(const fs::path& path) {
  return path.empty() || path == "-" ? "standard output" : shown(path);
}

std::string RunFiles::Output::text() const {
  return path == "-" ? output_name(path) : option + " " + shown(path);
}

std::optional<RunFiles::File> RunFiles::regular_file(const fs::path& path, int descriptor) {
  struct stat status {};
  const int failed = path == "-" ? ::fstat(descriptor, &status) : ::stat(path.c_str(), &status);
  if (failed != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return File{status.st_dev, status.st_ino};
}

void RunFiles::check(const Output& output, const File& input, const fs::path& path) const {
  if (output.file != input) return;
  if (output.path != "-") throw UsageError(output.text() + ": is an input too (name another file)");
  throw UsageError("standard output: is the input " + (path == "-" ? "-" : shown(path)) +
                   " too (write to another file)");
}

void RunFiles::writes(const fs::path& named, std::string_view option) {
  // /dev/stdout is written where standard output stands, as "-" is.
  const fs::path path = descriptor_of_link(named) == STDOUT_FILENO ? fs::path("-") : named;
  const fs::path file = canonical_path(path, STDOUT_FILENO);
  if (regular_file(path, STDOUT_FILENO) && !is_new_output(path, file) && is_file_of_model(file))
    throw UsageError(Output{path, {}, std::string(option), {}}.text() + ": is a file of the model in " +
                     shown(file.parent_path()) + " (write to another file)");
  writes_own(path, option);
}

void RunFiles::writes_own(const fs::path& path, std::string_view option) {
  Output output{path, canonical_path(path, STDOUT_FILENO), std::string(option),
                regular_file(path, STDOUT_FILENO)};
  for (const auto& [input, name] : inputs_) check(output, input, name);
  std::error_code none;
  const bool is_new = !fs::exists(output.canonical, none);
  for (const Output& other : outputs_) {
    const bool is_same =
        output.file ? output.file == other.file : is_new && output.canonical == other.canonical;
    if (!is_same || (path == "-" && other.path == "-")) continue;
    throw UsageError(output.text() + ": is the file of " +
                     (other.path == "-" ? "standard output" : other.option) + " too (name another one)");
  }
  outputs_.push_back(std::move(output));
}

void RunFiles::reads(const fs::path& path) {
  const std::optional<File> input = regular_file(path, STDIN_FILENO);
  if (!input) return;
  for (const Output& output : outputs_) check(output, *input, path);
  inputs_.emplace_back(*input, path);
}

void RunFiles::reads_model(const fs::path& model) {
  std::error_code none;
  const fs::path folder = fs::canonical(model, none);
  for (const Output& output : outputs_) {
    if (!output.file || is_of_reader(output.canonical) || is_new_output(output.path, output.canonical))
      continue;
    if (!none && output.canonical.parent_path() == folder)
      throw UsageError(output.text() + ": is a file of the model in " + shown(model) +
                       " (write to another file)");
  }
}

RunFiles& run_files() {
  static RunFiles files;
  return files;
}

fs::path result_path(const fs::path& path) {
  constexpr int kMostLinks = 40;  // as many as the kernel follows
  fs::path target = path;
  std::error_code none;  // of what is not there
  for (int links = 0; fs::is_symlink(fs::symlink_status(target, none)); ++links) {
    if (is_in_proc(target)) return target;
    const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
    if (links == kMostLinks)
      throw Error(shown(path) + ": symbolic links that lead nowhere (remove them, or name another file)");
    if (is_trap(target, folder)) {
      throw Error(shown(path) + ": is a symbolic link of another user in " + shown(folder) +
                  ", which is not followed (remove it, or name another file)");
    }
    const fs::path next = fs::read_symlink(target);
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  return target;
}

void check_result_file(const std::filesystem::path& named) {
  if (named == "-") return;
  const fs::path path = result_path(named);
  if (const int open = descriptor_of_link(path); open >= 0) check_writable(open, path);
  if (fs::is_directory(path)) throw Error(shown(path) + ": is a directory (name a file)");
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::is_directory(folder)) {
    throw Error(shown(path) + ": there is no folder " + quote(folder.string()) + " (create it)");
  }
}

void write_result_file(const std::filesystem::path& path, std::string_view bytes) {
  write_result_file(path, [&](const TakePiece& take) { take(bytes); });
}

void write_result_file(const std::filesystem::path& path,
                       const std::function<void(const TakePiece&)>& produce) {
  if (path == "-") {
    produce(write_output);
    return;
  }
  AtomicFile file(result_path(path));
  produce([&](std::string_view bytes) { file.write(bytes); });
  file.commit();
}

}  // namespace headwater::cli
