#include "support/descriptors.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

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

// Writes are cut to 1 GiB: Linux writes at most 2 GiB - 4 KiB a call anyway.
void write_all(int descriptor, std::string_view bytes, const fs::path& path) {
  constexpr std::size_t kMaxAtOnce = std::size_t{1} << 30;
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), std::min(bytes.size(), kMaxAtOnce));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_io(path, "cannot write", errno);
    if (written == 0) fail_io(path, "cannot write", EIO);
    bytes.remove_prefix(static_cast<std::size_t>(written));
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
