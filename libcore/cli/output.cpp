#include "cli/output.hpp"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

namespace headwater::cli {
namespace {

std::atomic<int> g_lost_output{0};

// 0, or the errno of the write that failed. Waits where the descriptor is non-blocking (inherited from a
// shell).
int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
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
  std::string reason =
      error_number == 0 ? "an earlier write failed" : std::generic_category().message(error_number);
  if (reason.size() > 1 && reason[0] >= 'A' && reason[0] <= 'Z' && reason[1] >= 'a') {
    reason[0] = static_cast<char>(reason[0] - 'A' + 'a');
  }
  return Error("standard output: cannot write: " + reason);
}

void write_output(std::string_view bytes) {
  if (const int failed = write_all(STDOUT_FILENO, bytes); failed != 0) throw output_error(failed);
}

void remember_lost_output(int error_number) { g_lost_output = error_number == 0 ? EIO : error_number; }

int lost_output_errno() { return g_lost_output; }

void write_messages(std::string_view bytes) { static_cast<void>(write_all(STDERR_FILENO, bytes)); }

}  // namespace headwater::cli
