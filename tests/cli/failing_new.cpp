// A library to preload: lets allocations of a program fail. NEW_FAILS_AT=N: the N-th operator new throws
// bad_alloc; with NEW_FAILS_ON=1 all after it too. NEW_COUNT=FILE: how many there were goes there at the
// end. What runs before main is not counted.
#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> count{0};
long fails_at = 0;
bool fails_on = false;
std::atomic<bool> counts{false};

void report() {
  const char* path = std::getenv("NEW_COUNT");
  if (path == nullptr) return;
  if (std::FILE* file = std::fopen(path, "w")) {
    std::fprintf(file, "%ld\n", count.load());
    std::fclose(file);
  }
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (counts.load(std::memory_order_relaxed)) {
    const long number = count.fetch_add(1, std::memory_order_relaxed) + 1;
    if (fails_at > 0 && (number == fails_at || (fails_on && number > fails_at))) throw std::bad_alloc();
  }
  void* const p = alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__
                      ? std::malloc(bytes == 0 ? 1 : bytes)
                      : std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

}  // namespace

#include "replaced_new.hpp"  // IWYU pragma: keep

// The C library calls this with the address of main. The dynamic linker finds the real one after this one.
extern "C" int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(),
                                 void (*fini)(), void (*rtld_fini)(), void* stack_end) {
  static int (*real_main)(int, char**, char**) = nullptr;
  real_main = main;
  const auto counted_main = [](int main_argc, char** main_argv, char** environment) {
    if (const char* at = std::getenv("NEW_FAILS_AT")) fails_at = std::atol(at);
    fails_on = std::getenv("NEW_FAILS_ON") != nullptr;
    std::atexit(report);
    counts = true;
    const int status = real_main(main_argc, main_argv, environment);
    counts = false;
    return status;
  };
  using Start = int (*)(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(), void*);
  const auto start = reinterpret_cast<Start>(::dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}
