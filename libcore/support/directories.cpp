#include "support/directories.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "support/error.hpp"
#include "support/signals.hpp"

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

bool is_file(const fs::path& path) {
  std::error_code none;
  return fs::is_regular_file(path, none);
}

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

bool FolderFiles::has(std::string_view name) const {
  if (const auto known = answers_->find(name); known != answers_->end()) return known->second.has_value();
  if (is_there(path / name)) return true;
  answers_->emplace(name, std::nullopt);
  return false;
}

const std::string& FolderFiles::read(std::string_view name, std::uint64_t max_bytes) const {
  const auto known = answers_->find(name);
  if (known != answers_->end() && known->second) return *known->second;
  is_there(path / name);  // says of a link that leads nowhere what it says to has()
  return *answers_->insert_or_assign(std::string(name), read_file(path / name, max_bytes)).first->second;
}

std::vector<std::string> FolderFiles::names_read() const {
  std::vector<std::string> names;
  for (const auto& [name, bytes] : *answers_) {
    if (bytes) names.push_back(name);
  }
  return names;
}

NewFolder::NewFolder(const fs::path& target)
    : target_(target.has_filename() ? target : target.parent_path()), temporary_(target_) {
  std::error_code error;
  if (is_taken(target_) && !fs::is_empty(target_, error))
    throw Error(target_.string() + ": is there already (name a new folder)");
  const fs::path above = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  if (!fs::is_directory(above, error))
    throw Error(shown(target_) + ": there is no folder " + quote(above.string()) + " (create it)");
  temporary_ += ".tmp-" + std::to_string(::getpid());
  const SignalsHeld held;
  const bool is_new = fs::create_directory(temporary_, error);
  if (!is_new) fail_io(temporary_, "cannot create", error ? error.value() : EEXIST);
  remember_temporary(temporary_);
}

NewFolder::~NewFolder() {
  std::error_code ignored;
  if (!is_done_) remove_tree(temporary_, ignored);
  forget_temporary(temporary_);
}

void NewFolder::finish() {
  sync_directory(temporary_);
  std::error_code error;
  fs::rename(temporary_, target_, error);
  if (error) fail_io(target_, "cannot take its place", error.value());
  is_done_ = true;
  sync_directory(target_.has_parent_path() ? target_.parent_path() : fs::path("."));
}

}  // namespace headwater
