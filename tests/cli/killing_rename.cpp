// A library to preload: KILL_AT_RENAME=N kills a program and all of its process group at its N-th rename,
// before it takes place, as kill -9 or a machine that stops would.
#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace {

void count() {
  static std::atomic<long> count{0};
  const char* const at = std::getenv("KILL_AT_RENAME");
  if (at != nullptr && ++count == std::atol(at)) ::kill(0, SIGKILL);
}

}  // namespace

extern "C" int rename(const char* from, const char* to) noexcept {
  count();
  using Rename = int (*)(const char*, const char*);
  static const auto call = reinterpret_cast<Rename>(::dlsym(RTLD_NEXT, "rename"));
  return call(from, to);
}

extern "C" int renameat2(int from_folder, const char* from, int to_folder, const char* to,
                         unsigned flags) noexcept {
  count();
  using Rename = int (*)(int, const char*, int, const char*, unsigned);
  static const auto call = reinterpret_cast<Rename>(::dlsym(RTLD_NEXT, "renameat2"));
  return call(from_folder, from, to_folder, to, flags);
}
