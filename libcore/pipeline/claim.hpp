// Who makes what: one run at a time, and what runs share once.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "support/files.hpp"

namespace headwater {

// An exclusive lock on a file (flock), which is made with its folder where it is missing; held while the
// object lives, not by programs that are started. The file says who has it.
class Claim {
 public:
  // Nothing where another process has it. Throws std::system_error where the file system knows no locks.
  static std::optional<Claim> of(const fs::path& file, const std::string& who);
  // Waits until nobody else has it, and tells `say` who does.
  static Claim wait_for(const fs::path& file, const std::string& who,
                        const std::function<void(const std::string&)>& say);
  Claim(Claim&& other) noexcept : descriptor_(other.descriptor_) { other.descriptor_ = -1; }
  Claim& operator=(Claim&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Claim();

 private:
  explicit Claim(int descriptor) : descriptor_(descriptor) {}
  static std::optional<Claim> take(const fs::path& file, const std::string& who, int how);
  int descriptor_ = -1;
};

}  // namespace headwater
