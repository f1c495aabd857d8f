// Programs that run beside this one: those that it starts, and runs that want the same files.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/error.hpp"
#include "support/files.hpp"

namespace headwater {

// How a child process ended.
struct Ended {
  int status = 0, signal = 0;  // one of the two
  bool is_good() const { return status == 0 && signal == 0; }
};

// A signal came that should end this program, and its children have ended.
struct Told {
  int signal;
};

// A signal that should end this program goes to all of them and all that they have started; it is for the
// caller to end when they have. Those of a terminal do not reach them in another way: each is a group of its
// own.
class Children {
 public:
  Children();
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;
  ~Children() = default;
  // A copy of this process that does `work` and ends with its status. Its standard input is empty; standard
  // output and error go to the end of `log` where there is one. The number of the child.
  static int start(const std::function<int()>& work, const fs::path& log = {});
  // A program, found on PATH.
  static int start(std::vector<std::string> arguments, const fs::path& log = {});
  // The next one that ends, and its number.
  static std::pair<int, Ended> wait();
  // Throws Told where a signal came.
  static Ended run(std::vector<std::string> arguments, const fs::path& log = {});
  static bool is_told();
  static void throw_if_told();

 private:
  // `work` begins with the signals held that should end a program.
  static int start_held(const std::function<int()>& work, const fs::path& log);
};

// Who makes what: one run at a time, and what runs share once.
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
