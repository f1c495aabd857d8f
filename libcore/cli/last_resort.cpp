#include "cli/last_resort.hpp"

#include <pthread.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <thread>

#include "cli/message_text.hpp"
#include "cli/output.hpp"
#include "cli/tool.hpp"
#include "support/signals.hpp"

namespace headwater::cli {
namespace {

// The last line of defence: an exception where nothing can catch it, such as a thread of a library that finds
// no memory to begin with. None at all is the C++ library without memory for the exception itself.
[[noreturn]] void on_terminate() noexcept {
  static std::atomic_flag has_begun;
  wait_if_not_first_to_fail();
  if (has_begun.test_and_set()) ::_exit(1);
  constexpr std::size_t kEnough = std::size_t{1} << 20;
  void* const memory = std::malloc(kEnough);
  if (memory == nullptr) {  // where not even an exception finds room
    note_out_of_memory();
    ::_exit(1);
  }
  std::free(memory);
  try {
    if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
    note("internal error: ended without an exception (please report this)");
  } catch (const std::bad_alloc&) {
    note_out_of_memory();
    ::_exit(1);
  } catch (const std::exception& error) {
    note(std::string("internal error: ") + on_one_line(error.what()) + " (please report this)");
  } catch (...) {
    note("internal error: ended by an exception (please report this)");
  }
  std::abort();
}

std::uintptr_t stack_pointer(const void* context) noexcept {
  const mcontext_t& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(machine.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return machine.sp;
#else
  return 0;
#endif
}

// A write near the stack's end is one for which the stack had no room. Any other is a mistake of the program,
// and ends as one.
void on_bad_address(int number, siginfo_t* info, void* context) noexcept {
  constexpr std::uintptr_t kNear = std::uintptr_t{1} << 20;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const std::uintptr_t stack = stack_pointer(context);
  const bool is_of_stack = info->si_code > 0 && address + kNear > stack && address < stack + kNear;
  if (!is_of_stack) {
    std::signal(number, SIG_DFL);  // the same instruction meets it again
    return;
  }
  remove_temporaries();
  for (const std::string_view part :
       {tool_name(),
        std::string_view(": out of stack or memory (raise the limits of ulimit -s and ulimit -v)\n")})
    write_messages(part);
  ::_exit(1);
}

// Before the constructors of static objects, also of the libraries, for which there may be no memory.
void set_handlers() noexcept {
  std::set_terminate(on_terminate);
  struct sigaction action {};
  if (::sigaction(SIGSEGV, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) return;  // of a sanitizer
  static std::array<std::byte, std::size_t{128} * 1024> memory;
  stack_t stack{};
  stack.ss_sp = memory.data();
  stack.ss_size = memory.size();
  if (::sigaltstack(&stack, nullptr) != 0) return;
  action.sa_sigaction = on_bad_address;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigaction(SIGSEGV, &action, nullptr);
}

#ifdef HEADWATER_SANITIZED  // its library begins at the same moment, and comes first
[[gnu::constructor(101)]] void before_constructors() { set_handlers(); }
#else
[[gnu::used, gnu::section(".preinit_array")]] void (*before_constructors)() = set_handlers;
#endif

}  // namespace

void note_out_of_memory() {
  constexpr std::string_view kText = ": out of memory (use smaller batches or close other programs)\n";
  std::array<char, 128> line;
  const std::string_view name = tool_name().substr(0, line.size() - kText.size());
  std::copy(name.begin(), name.end(), line.begin());
  std::copy(kText.begin(), kText.end(), line.begin() + name.size());
  write_messages({line.data(), name.size() + kText.size()});
}

void wait_if_not_first_to_fail() {
  static std::atomic_flag has_failed;
  if (has_failed.test_and_set()) std::this_thread::sleep_for(std::chrono::seconds(1));
}

[[gnu::noinline]] void grow_stack() {
  constexpr std::size_t kBytes = 512 * 1024, kPage = 4096, kInUse = 64 * 1024;
  constexpr std::size_t kOfThread = std::size_t{2} << 20;
  std::size_t bytes = kBytes;
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    const std::size_t most = static_cast<std::size_t>(limit.rlim_cur) / 4 * 3;
    bytes = std::min(bytes, most - std::min(most, kInUse));
    pthread_attr_t usual;
    if (limit.rlim_cur < kOfThread && ::pthread_attr_init(&usual) == 0) {
      if (::pthread_attr_setstacksize(&usual, kOfThread) == 0) ::pthread_setattr_default_np(&usual);
      ::pthread_attr_destroy(&usual);
    }
  }
  if (bytes < kPage) return;
  volatile char* const pages = static_cast<volatile char*>(__builtin_alloca(bytes));
  for (std::size_t end = bytes; end >= kPage; end -= kPage) pages[end - kPage] = 0;
}

}  // namespace headwater::cli
