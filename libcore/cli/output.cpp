#include "cli/output.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>

namespace headwater::cli {
namespace {

std::atomic<int> g_lost_output{0};

// 0, or the errno of the write that failed. Waits where the descriptor is non-blocking (inherited from a
// shell).
int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written > 0) {
      bytes.remove_prefix(written);
    } else if (written < 0 && errno == EAGAIN) {
      pollfd waiting{descriptor, POLLOUT, 0};
      ::poll(&waiting, 1, -1);
    } else if (written == 0 || errno != EINTR) {
      return written == 0 ? EIO : errno;
    }
  }
  return 0;
}

}  // namespace

Error output_error(int error_number) {
  return Error("standard output: cannot write: " +
               (error_number == 0 ? "an earlier write failed" : system_reason(error_number)));
}

void write_output(std::string_view bytes) {
  if (const int failed = write_all(STDOUT_FILENO, bytes); failed != 0) throw output_error(failed);
}

bool is_output_watched() {
  struct stat status {};
  const bool is_pipe = ::fstat(STDOUT_FILENO, &status) == 0 && S_ISFIFO(status.st_mode);
  return is_pipe || ::isatty(STDOUT_FILENO) != 0;
}

void remember_lost_output(int error_number) { g_lost_output = error_number == 0 ? EIO : error_number; }

int lost_output_errno() { return g_lost_output; }

void write_messages(std::string_view bytes) { static_cast<void>(write_all(STDERR_FILENO, bytes)); }

}  // namespace headwater::cli
