#include "pipeline/claim.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "pipeline/children.hpp"
#include "support/error.hpp"

namespace headwater {

std::optional<Claim> Claim::take(const fs::path& file, const std::string& who, int how) {
  while (true) {
    std::error_code error;
    fs::create_directories(file.parent_path(), error);  // where who had it has removed that
    Claim claim(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    const int descriptor = claim.descriptor_;
    if (descriptor < 0) fail_io(file, "cannot open", errno);
    while (::flock(descriptor, how) != 0) {
      if (errno == EWOULDBLOCK) return std::nullopt;
      if (errno != EINTR) throw std::system_error(errno, std::generic_category());
      Children::throw_if_told();
    }
    // The file may be gone together with what it is for.
    struct stat locked {
    }, named{};
    if (::fstat(descriptor, &locked) != 0 || ::stat(file.c_str(), &named) != 0) continue;
    if (locked.st_ino != named.st_ino || locked.st_dev != named.st_dev) continue;
    // For those who wait; without it they say less.
    if (::ftruncate(descriptor, 0) == 0)
      static_cast<void>(::pwrite(descriptor, who.data(), who.size(), 0) < 0);
    return claim;
  }
}

std::optional<Claim> Claim::of(const fs::path& file, const std::string& who) {
  return take(file, who, LOCK_EX | LOCK_NB);
}

Claim Claim::wait_for(const fs::path& file, const std::string& who,
                      const std::function<void(const std::string&)>& say) {
  if (std::optional<Claim> claim = of(file, who)) return std::move(*claim);
  std::string other;
  try {
    other = read_file(file, 1 << 12);
  } catch (const Error&) {  // removed just now
  }
  say(other.empty() ? "another command" : visible(other));
  return std::move(*take(file, who, LOCK_EX));
}

Claim::~Claim() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace headwater
