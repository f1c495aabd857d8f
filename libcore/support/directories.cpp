#include "support/directories.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string_view>

#include "support/files.hpp"

namespace headwater {

namespace {

std::error_code last_error() { return {errno, std::generic_category()}; }

// unlink or rmdir. True where it is gone.
bool remove_one(const fs::path& path, int flags) {
  int status = 0;
  do {
    status = ::unlinkat(AT_FDCWD, path.c_str(), flags);
  } while (status < 0 && errno == EINTR);
  return status == 0 || errno == ENOENT;
}

}  // namespace

bool is_there(const fs::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    // A text in the place of a path may be too long for one.
    if (errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG) return false;
    fail_io(path, "cannot read", errno);
  }
  if (S_ISLNK(status.st_mode) && ::stat(path.c_str(), &status) != 0)
    fail_io(path, "a link that leads nowhere", errno);
  return true;
}

std::vector<fs::path> list_folder(const fs::path& folder, std::error_code& error) {
  error.clear();
  DIR* opened = nullptr;
  do {
    opened = ::opendir(folder.c_str());
  } while (opened == nullptr && errno == EINTR);
  std::vector<fs::path> found;
  if (opened == nullptr) {
    error = last_error();
    return found;
  }
  const std::unique_ptr<DIR, int (*)(DIR*)> closes(opened, ::closedir);
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(opened);
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") found.push_back(folder / name);
  }
  if (errno != 0) {
    error = last_error();
    found.clear();
  }
  return found;
}

void remove_tree(const fs::path& path, std::error_code& error) {
  error.clear();
  if (remove_one(path, 0)) return;
  if (errno != EISDIR && errno != EPERM) {  // what unlink says of a folder, on Linux and by POSIX
    error = last_error();
    return;
  }
  for (const fs::path& entry : list_folder(path, error)) {
    remove_tree(entry, error);
    if (error) return;
  }
  if (!error && !remove_one(path, AT_REMOVEDIR)) error = last_error();
}

}  // namespace headwater
