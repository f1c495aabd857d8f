#include "support/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include "support/descriptors.hpp"
#include "support/error.hpp"

namespace headwater {
namespace {

// Whether there is a process of that number.
bool is_alive(const std::string& number) {
  pid_t process = 0;
  std::from_chars(number.data(), number.data() + number.size(), process);
  return process > 0 && (::kill(process, 0) == 0 || errno == EPERM);
}

// Empty, or the number of its owner and nothing else.
bool is_text_of_lock(int descriptor, const struct stat& status) {
  constexpr std::size_t kMostDigits = 20;
  char digits[kMostDigits + 1];
  if (status.st_size > static_cast<off_t>(kMostDigits)) return false;
  const ssize_t got = ::pread(descriptor, digits, sizeof digits, 0);
  return got >= 0 && std::all_of(digits, digits + got, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

FileLock::FileLock(const fs::path& path) {
  descriptor_ = open_retrying(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0666);
  if (descriptor_ < 0 && errno == ELOOP)
    throw Error(shown(path) + ": is a symbolic link, which is not followed (remove it)");
  if (descriptor_ < 0) fail_io(path, "cannot open", errno);
  struct stat kind {};
  const bool is_regular = ::fstat(descriptor_, &kind) == 0 && S_ISREG(kind.st_mode);
  // What else has this name, or a second one here, keeps its bytes.
  if (!is_regular || !is_text_of_lock(descriptor_, kind)) {
    close_quietly(descriptor_);
    throw Error(shown(path) + ": is no " + (is_regular ? "lock" : "regular file") + " (move it away)");
  }
  int status;
  do {
    status = ::flock(descriptor_, LOCK_EX | LOCK_NB);
  } while (status < 0 && errno == EINTR);
  if (status < 0) {
    const int error = errno;
    // The owner writes its number just after it got the lock: wait a moment for it. Until then the file may
    // hold the number of a former owner that was killed.
    std::string owner;
    for (int attempt = 0; error == EWOULDBLOCK && owner.empty() && attempt < 1000; ++attempt) {
      char digits[24];
      const ssize_t got = ::pread(descriptor_, digits, sizeof digits, 0);
      for (ssize_t i = 0; i < got && digits[i] >= '0' && digits[i] <= '9'; ++i) owner += digits[i];
      if (!owner.empty() && !is_alive(owner)) owner.clear();
      if (owner.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    close_quietly(descriptor_);
    if (error != EWOULDBLOCK) fail_io(path, "cannot lock", error);
    throw Error(shown(path) + ": in use by " + (owner.empty() ? "another process" : "process " + owner));
  }
  // Its former holder may have removed it, and another be locked under this name by now.
  if (::fstat(descriptor_, &kind) == 0 && kind.st_nlink == 0) {
    close_quietly(descriptor_);
    throw Error(shown(path) + ": another process has just removed it (try again)");
  }
  try {
    if (::ftruncate(descriptor_, 0) < 0) fail_io(path, "cannot write", errno);
    write_all(descriptor_, std::to_string(::getpid()), path);
  } catch (...) {
    close_quietly(descriptor_);
    throw;
  }
}

FileLock::~FileLock() {
  // The file stays for the next holder. Who removes it must hold it: see the constructor.
  [[maybe_unused]] const int status = ::ftruncate(descriptor_, 0);
  close_quietly(descriptor_);
}

}  // namespace headwater
