#include "pipeline/children.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <system_error>

#include "support/error.hpp"

namespace headwater {

namespace {

constexpr int kEnding[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
constexpr std::size_t kMostChildren = 257;
constexpr int kNotStarted = 127;

// What the handler reads: the groups that run, and the signal that came.
std::array<std::atomic<pid_t>, kMostChildren> running_groups{};
std::atomic<int> signal_that_came{0};

void forward(int number) noexcept {
  for (const std::atomic<pid_t>& group : running_groups) {
    if (const pid_t leader = group.load(); leader > 0) ::kill(-leader, number);
  }
}

void on_ending(int number) noexcept {
  const int before = errno;
  signal_that_came = number;
  forward(number);
  errno = before;
}

// Ctrl-Z holds the children, too, and fg lets them go on.
void on_stop(int) noexcept {
  const int before = errno;
  forward(SIGSTOP);
  ::raise(SIGSTOP);
  forward(SIGCONT);
  errno = before;
}

void handle(int number, void (*handler)(int)) {
  struct sigaction action {};
  if (::sigaction(number, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) return;
  action = {};
  action.sa_handler = handler;
  ::sigaction(number, &action, nullptr);
}

sigset_t handled_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : kEnding) ::sigaddset(&set, number);
  ::sigaddset(&set, SIGTSTP);
  return set;
}

// What outlives its parent is a child of this process then. A copy of it has to say so again.
void wait_for_orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

void unblock() {
  const sigset_t set = handled_signals();
  ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

// In the child. Whether its files are open.
bool settle(const fs::path& log) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // whatever ends the parent; of SIGKILL train alone goes on
  for (std::atomic<pid_t>& group : running_groups) group = 0;
  signal_that_came = 0;
  const int input = ::open("/dev/null", O_RDONLY);
  if (input < 0 || ::dup2(input, STDIN_FILENO) < 0) return false;
  if (log.empty()) return true;
  const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  return output >= 0 && ::dup2(output, STDOUT_FILENO) >= 0 && ::dup2(output, STDERR_FILENO) >= 0;
}

int become(std::vector<std::string>& arguments) {
  std::vector<char*> words;
  words.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  for (const int number : kEnding) {
    struct sigaction now {};
    if (::sigaction(number, nullptr, &now) == 0 && now.sa_handler != SIG_IGN)
      ::sigaction(number, &usual, nullptr);
  }
  for (const int number : {SIGTSTP, SIGPIPE, SIGBUS, SIGXFSZ}) ::sigaction(number, &usual, nullptr);
  unblock();
  ::execvp(words[0], words.data());
  const std::string said = arguments[0] + ": cannot be started: " + system_reason(errno) + "\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, said.data(), said.size());
  return kNotStarted;
}

}  // namespace

Children::Children() {
  wait_for_orphans();
  for (const int number : kEnding) handle(number, on_ending);
  handle(SIGTSTP, on_stop);
}

int Children::start(const std::function<int()>& work, const fs::path& log) {
  const auto with_signals = [&work] {
    wait_for_orphans();
    unblock();
    return work();
  };
  return start_held(with_signals, log);
}

int Children::start(std::vector<std::string> arguments, const fs::path& log) {
  return start_held([&arguments] { return become(arguments); }, log);
}

int Children::start_held(const std::function<int()>& work, const fs::path& log) {
  std::size_t place = 0;
  while (place < running_groups.size() && running_groups[place] != 0) ++place;
  if (place == running_groups.size()) throw Error("too many programs at a time");
  const sigset_t set = handled_signals();
  sigset_t before;
  ::sigprocmask(SIG_BLOCK, &set, &before);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(settle(log) ? work() : kNotStarted);
  const int fork_error = errno;
  if (child > 0) {
    ::setpgid(child, child);
    running_groups[place] = child;
  }
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (child < 0) throw Error("cannot start a process: " + system_reason(fork_error));
  return child;
}

std::pair<int, Ended> Children::wait() {
  while (true) {
    int status = 0;
    const pid_t child = ::waitpid(-1, &status, 0);
    if (child < 0 && errno == EINTR) continue;
    if (child < 0) throw Error("wait: " + system_reason(errno));
    std::atomic<pid_t>* const group = std::find(running_groups.begin(), running_groups.end(), child);
    if (group == running_groups.end()) continue;  // one that somebody below has left
    // A shell is not waited for by what it has started: train saves.
    while (::waitpid(-child, nullptr, 0) > 0 || errno == EINTR) continue;
    *group = 0;
    if (WIFSIGNALED(status)) return {child, {.signal = WTERMSIG(status)}};
    return {child, {.status = WEXITSTATUS(status)}};
  }
}

Ended Children::run(std::vector<std::string> arguments, const fs::path& log) {
  throw_if_told();
  start(std::move(arguments), log);
  const Ended ended = wait().second;
  throw_if_told();
  return ended;
}

bool Children::is_told() { return signal_that_came != 0; }

void Children::throw_if_told() {
  if (const int number = signal_that_came; number != 0) throw Told{number};
}

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
