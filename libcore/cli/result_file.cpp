#include "cli/result_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <optional>

#include "cli/output.hpp"
#include "support/error.hpp"
#include "support/files.hpp"

namespace headwater::cli {

namespace {

std::optional<struct stat> regular_file(const fs::path& path, int descriptor) {
  struct stat status {};
  const int failed = path == "-" ? ::fstat(descriptor, &status) : ::stat(path.c_str(), &status);
  if (failed != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return status;
}

// As the kernel does for open() with fs.protected_symlinks: in a sticky folder that others write to, only
// one's own links are followed, and the folder's owner's.
bool is_trap(const fs::path& link, const fs::path& folder) {
  struct stat of_link {
  }, of_folder{};
  if (::lstat(link.c_str(), &of_link) != 0 || ::stat(folder.c_str(), &of_folder) != 0) return false;
  const bool is_shared = (of_folder.st_mode & S_ISVTX) != 0 && (of_folder.st_mode & S_IWOTH) != 0;
  return is_shared && of_link.st_uid != ::geteuid() && of_link.st_uid != of_folder.st_uid;
}

// The folder of a regular file, all links followed; nothing where there is none.
fs::path folder_of_file(const fs::path& path, int descriptor) {
  if (!regular_file(path, descriptor)) return {};
  std::error_code none;
  const fs::path named = path == "-" ? fs::path("/proc/self/fd/" + std::to_string(descriptor)) : path;
  return fs::canonical(named, none).parent_path();
}

}  // namespace

void refuse_file_of_model(const fs::path& output, std::string_view option) {
  const fs::path folder = folder_of_file(output, STDOUT_FILENO);
  std::error_code none;
  // The name of a checkpoint's list of files; checkpoint/ is above this room.
  if (folder.empty() || !fs::exists(folder / "MANIFEST.json", none)) return;
  const std::string what =
      output == "-" ? std::string("standard output") : std::string(option) + " " + shown(output);
  throw UsageError(what + ": is a file of the model in " + shown(folder) + " (write to another file)");
}

void refuse_same_file(const fs::path& input, const fs::path& output, std::string_view option) {
  const auto in = regular_file(input, STDIN_FILENO), out = regular_file(output, STDOUT_FILENO);
  if (!in || !out || in->st_dev != out->st_dev || in->st_ino != out->st_ino) return;
  if (output != "-")
    throw UsageError(std::string(option) + " " + shown(output) + ": is an input too (name another file)");
  throw UsageError("standard output: is the input " + (input == "-" ? "-" : shown(input)) +
                   " too (write to another file)");
}

fs::path result_path(const fs::path& path) {
  constexpr int kMostLinks = 40;  // as many as the kernel follows
  fs::path target = path;
  std::error_code none;  // of what is not there
  for (int links = 0; fs::is_symlink(fs::symlink_status(target, none)); ++links) {
    const std::string& text = target.native();
    if (text.starts_with("/dev/") || text.starts_with("/proc/")) return target;  // names of descriptors
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
  if (fs::is_directory(path)) throw Error(path.string() + ": is a directory (name a file)");
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::is_directory(folder)) {
    throw Error(path.string() + ": there is no folder " + quote(folder.string()) + " (create it)");
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
