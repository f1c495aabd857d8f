#include "support/descriptors.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <string>
#include <system_error>
#include <utility>

#include "support/error.hpp"

namespace headwater {

int open_retrying(const fs::path& path, int flags, mode_t mode) {
  int descriptor;
  do {
    descriptor = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

bool is_in_proc(const fs::path& path) {
  struct statfs system {};
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  return ::statfs(folder.c_str(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

int descriptor_of_link(const fs::path& path) {
  std::error_code none;
  fs::path link = path;
  if (!is_in_proc(link) && fs::is_symlink(fs::symlink_status(link, none)))
    link = link.parent_path() / fs::read_symlink(link, none);  // /dev/stdout
  const std::string name = link.filename().native();
  int number = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || number < 0) return -1;
  return fs::equivalent(link.parent_path(), "/proc/self/fd", none) ? number : -1;
}

void check_writable(int descriptor, const fs::path& path) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags < 0) fail_io(path, "cannot open for writing", errno);
  if ((flags & O_ACCMODE) == O_RDONLY)
    throw Error(shown(path) + ": is open for reading only (open it for writing, as N> FILE does)");
}

int share_descriptor(int descriptor, const fs::path& path) {
  check_writable(descriptor, path);
  struct stat status {};
  const bool is_file = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  const bool appends = (::fcntl(descriptor, F_GETFL) & O_APPEND) != 0;
  if (is_file && !appends && ::ftruncate(descriptor, ::lseek(descriptor, 0, SEEK_CUR)) < 0)
    fail_io(path, "cannot be cut", errno);
  const int other = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (other < 0) fail_io(path, "cannot open for writing", errno);
  return other;
}

// Writes are cut to 1 GiB: Linux writes at most 2 GiB - 4 KiB a call anyway.
void write_all(int descriptor, std::string_view bytes, const fs::path& path) {
  constexpr std::size_t kMaxAtOnce = std::size_t{1} << 30;
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), std::min(bytes.size(), kMaxAtOnce));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_io(path, "cannot write", errno);
    if (written == 0) fail_io(path, "cannot write", EIO);
    bytes.remove_prefix(written);
  }
}

// After a failed fsync the kernel may have dropped the pages and a second one would lie, so it is never
// repeated; EINTR alone means that it did not happen.
void sync_descriptor(int descriptor, const fs::path& path) {
  int status;
  do {
    status = ::fsync(descriptor);
  } while (status < 0 && errno == EINTR);
  if (status < 0) fail_io(path, "cannot sync", errno);
}

// Linux frees the descriptor also where close reports EINTR; the data is synced by then.
void close_checked(int& descriptor, const fs::path& path) {
  const int status = ::close(std::exchange(descriptor, -1));
  if (status < 0 && errno != EINTR) fail_io(path, "cannot close", errno);
}

void close_quietly(int& descriptor) {
  if (descriptor >= 0) ::close(std::exchange(descriptor, -1));
}

}  // namespace headwater
