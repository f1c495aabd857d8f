// A library to preload: lets threads of a program fail to start. THREADS_FAIL_FROM=N: pthread_create gives
// EAGAIN from the N-th on, as under a limit on processes.
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*),
                              void* argument) noexcept {
  static std::atomic<long> count{0};
  const char* const from = std::getenv("THREADS_FAIL_FROM");
  if (from != nullptr && ++count >= std::atol(from)) return EAGAIN;
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(::dlsym(RTLD_NEXT, "pthread_create"));
  return create(thread, attributes, routine, argument);
}
