// Runs a program so that it can neither open a connection nor start another program: the kernel ends it where
// it tries to (SIGSYS). A link to this program, called as a tool is, runs the tool of that name that lies
// beside it. Where the kernel does not let itself be asked, the tool runs as it is; no_network.sh tells.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;
#endif

constexpr std::uint32_t kForbidden[] = {SYS_socket,      SYS_socketpair,  SYS_connect,  SYS_bind,
                                        SYS_listen,      SYS_accept4,     SYS_sendto,   SYS_recvfrom,
                                        SYS_sendmsg,     SYS_recvmsg,     SYS_sendmmsg, SYS_recvmmsg,
                                        SYS_getsockname, SYS_getpeername, SYS_execveat,
#if defined(__x86_64__)
                                        SYS_accept,      SYS_fork,        SYS_vfork
#else
                                        SYS_accept
#endif
};
constexpr std::uint32_t kThread = 0x00010000;  // CLONE_THREAD

// Its address tells the one execve() that is allowed, which is ours.
char path_of_program[PATH_MAX];

sock_filter statement(std::uint16_t code, std::uint32_t value) { return {code, 0, 0, value}; }
// Where what was loaded is `value`, the next is skipped.
sock_filter skip_one_unless(std::uint32_t value) { return {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, value}; }

sock_filter load(std::size_t place) {
  return statement(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(place));
}
sock_filter answer(std::uint32_t action) { return statement(BPF_RET | BPF_K, action); }

bool seal() {
  if (kArchitecture == 0) return false;
  const auto address = reinterpret_cast<std::uint64_t>(path_of_program);
  constexpr std::size_t kArgument = offsetof(seccomp_data, args);
  std::vector<sock_filter> filter{load(offsetof(seccomp_data, arch)),
                                  {BPF_JMP | BPF_JEQ | BPF_K, 1, 0, kArchitecture},
                                  answer(SECCOMP_RET_KILL_PROCESS),
                                  load(offsetof(seccomp_data, nr))};
  for (const std::uint32_t call : kForbidden) {
    filter.push_back(skip_one_unless(call));
    filter.push_back(answer(SECCOMP_RET_KILL_PROCESS));
  }
  // Its flags are in memory, which a filter cannot read; the C library calls clone() then.
  filter.push_back(skip_one_unless(SYS_clone3));
  filter.push_back(answer(SECCOMP_RET_ERRNO | ENOSYS));
  // A thread is no process.
  filter.push_back({BPF_JMP | BPF_JEQ | BPF_K, 0, 4, SYS_clone});
  filter.push_back(load(kArgument));
  filter.push_back({BPF_JMP | BPF_JSET | BPF_K, 1, 0, kThread});
  filter.push_back(answer(SECCOMP_RET_KILL_PROCESS));
  filter.push_back(answer(SECCOMP_RET_ALLOW));
  filter.push_back({BPF_JMP | BPF_JEQ | BPF_K, 0, 5, SYS_execve});
  filter.push_back(load(kArgument));
  filter.push_back({BPF_JMP | BPF_JEQ | BPF_K, 0, 2, static_cast<std::uint32_t>(address)});
  filter.push_back(load(kArgument + sizeof(std::uint32_t)));
  filter.push_back({BPF_JMP | BPF_JEQ | BPF_K, 1, 0, static_cast<std::uint32_t>(address >> 32)});
  filter.push_back(answer(SECCOMP_RET_KILL_PROCESS));
  filter.push_back(answer(SECCOMP_RET_ALLOW));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string called = argc > 0 ? argv[0] : "";
  std::string path(PATH_MAX, '\0');
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0) return 126;
  path.resize(length);
  path.resize(path.rfind('/') + 1);
  path += called.substr(called.rfind('/') + 1);
  if (path.size() + 1 > sizeof path_of_program) return 126;
  std::memcpy(path_of_program, path.c_str(), path.size() + 1);
  if (!seal() && ::getenv("HEADWATER_MUST_SEAL") != nullptr) return 77;
  ::execv(path_of_program, argv);
  std::fprintf(stderr, "sealed: %s: %s\n", path_of_program, std::strerror(errno));
  return 127;
}
