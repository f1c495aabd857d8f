#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>

#include "cli/tool.hpp"
#include "support/error.hpp"
#include "tools/headwater/headwater.hpp"

namespace headwater::front {

namespace {

constexpr int kEnding[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
constexpr std::size_t kMostChildren = 257;

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

// In the child: async-signal-safe calls alone.
[[noreturn]] void become(char* const* arguments, const char* log, int report, const sigset_t& mask) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // whatever ends the parent; of SIGKILL train alone goes on
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  for (const int number : kEnding) {
    struct sigaction now {};
    if (::sigaction(number, nullptr, &now) == 0 && now.sa_handler != SIG_IGN)
      ::sigaction(number, &usual, nullptr);
  }
  for (const int number : {SIGTSTP, SIGPIPE, SIGBUS, SIGXFSZ}) ::sigaction(number, &usual, nullptr);
  bool is_good = true;
  const int input = ::open("/dev/null", O_RDONLY);
  is_good = input >= 0 && ::dup2(input, STDIN_FILENO) >= 0;
  if (is_good && log != nullptr) {
    const int output = ::open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    is_good = output >= 0 && ::dup2(output, STDOUT_FILENO) >= 0 && ::dup2(output, STDERR_FILENO) >= 0;
  }
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  if (is_good) ::execvp(arguments[0], arguments);
  const int error = errno;
  [[maybe_unused]] const ssize_t written = ::write(report, &error, sizeof error);
  ::_exit(127);
}

}  // namespace

Children::Children() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // what outlives its parent is waited for here
  for (const int number : kEnding) handle(number, on_ending);
  handle(SIGTSTP, on_stop);
}

int Children::start(const std::vector<std::string>& arguments, const fs::path& log) {
  std::vector<char*> words;
  words.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  std::size_t place = 0;
  while (place < running_groups.size() && running_groups[place] != 0) ++place;
  if (place == running_groups.size()) throw Error("too many programs at a time");
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) throw Error("pipe: " + system_reason(errno));
  const sigset_t set = handled_signals();
  sigset_t before;
  ::sigprocmask(SIG_BLOCK, &set, &before);
  const pid_t child = ::fork();
  if (child == 0) become(words.data(), log.empty() ? nullptr : log.c_str(), pipe[1], before);
  const int fork_error = errno;
  if (child > 0) {
    ::setpgid(child, child);
    running_groups[place] = child;
  }
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  ::close(pipe[1]);
  int error = child < 0 ? fork_error : 0;
  if (child > 0) {
    ssize_t got = 0;
    do got = ::read(pipe[0], &error, sizeof error);
    while (got < 0 && errno == EINTR);
    if (got != sizeof error) error = 0;
  }
  ::close(pipe[0]);
  if (error == 0) return child;
  if (child > 0) {
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
    running_groups[place] = 0;
  }
  const std::string what = error == ENOENT && log.empty()
                               ? "no such program (apt-get install it, or make build)"
                               : system_reason(error);
  throw Error(arguments[0] + ": cannot be started: " + what);
}

std::pair<int, Ended> Children::wait() {
  while (true) {
    int status = 0;
    const pid_t child = ::waitpid(-1, &status, 0);
    if (child < 0 && errno == EINTR) continue;
    if (child < 0) throw Error("wait: " + system_reason(errno));
    std::atomic<pid_t>* const group = std::find(running_groups.begin(), running_groups.end(), child);
    if (group == running_groups.end()) continue;  // one that somebody below has left
    // make is not waited for by what it has started: train saves.
    while (::waitpid(-child, nullptr, 0) > 0 || errno == EINTR) continue;
    *group = 0;
    if (WIFSIGNALED(status)) return {child, {.signal = WTERMSIG(status)}};
    return {child, {.status = WEXITSTATUS(status)}};
  }
}

bool Children::is_told() { return signal_that_came != 0; }

void Children::end_if_told() {
  if (const int number = signal_that_came; number != 0) cli::end_by_signal(number);
}

}  // namespace headwater::front
