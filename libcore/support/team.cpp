#include "support/team.hpp"

#include <utility>

namespace headwater::detail {

namespace {

constexpr int kBits = 20;
constexpr std::uint64_t kMask = (std::uint64_t{1} << kBits) - 1;
constexpr std::int64_t kMostTasks = std::int64_t{1}
                                    << (kBits - 1);  // leaves room for takers who come too late

struct Tasks {
  std::int64_t first, second, count;  // taken by the caller and by helpers; of all
  explicit Tasks(std::uint64_t word)
      : first(static_cast<std::int64_t>(word & kMask)),
        second(static_cast<std::int64_t>(word >> kBits & kMask)),
        count(static_cast<std::int64_t>(word >> (2 * kBits))) {}
  bool are_left() const { return first + second < count; }
};

void rest() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

Team::Team(int threads) {
  for (int i = 1; i < threads; ++i) helpers_.emplace_back([this] { help(); });
}

Team::~Team() {
  is_ending_.store(true);
  wakes_.fetch_add(1);
  wakes_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

// The index of a task, or -1.
std::int64_t Team::take(Half of) {
  const Tasks tasks(tasks_.fetch_add(of == Half::first ? 1 : std::uint64_t{1} << kBits));
  if (!tasks.are_left()) return -1;
  // Each takes its own half in order, as memory likes it, and then the other's from its end.
  const std::int64_t half = (tasks.count + 1) / 2;
  if (of == Half::first) return tasks.first < half ? tasks.first : tasks.count - 1 - (tasks.first - half);
  const std::int64_t rest = tasks.count - half;
  return tasks.second < rest ? half + tasks.second : half - 1 - (tasks.second - rest);
}

void Team::do_task(std::int64_t index) {
  if (has_failed_.load(std::memory_order_relaxed)) return;
  try {
    const std::int64_t begin = index * chunk_, end = begin + chunk_ < count_ ? begin + chunk_ : count_;
    for (std::int64_t i = begin; i < end; ++i) function_(body_, i);
  } catch (...) {
    if (!has_failed_.exchange(true)) error_ = std::current_exception();
  }
}

void Team::do_tasks(Half of) {
  std::int64_t done = 0;
  for (std::int64_t index = take(of); index >= 0; index = take(of), ++done) do_task(index);
  if (done > 0) done_.fetch_add(done, std::memory_order_release);
}

void Team::run(std::int64_t count, TaskFunction function, const void* body) {
  function_ = function;
  body_ = body;
  count_ = count;
  chunk_ = (count + kMostTasks - 1) / kMostTasks;
  const std::int64_t tasks = (count + chunk_ - 1) / chunk_;
  done_.store(0, std::memory_order_relaxed);
  tasks_.store(static_cast<std::uint64_t>(tasks) << (2 * kBits));
  if (sleepers_.load() > 0) {
    wakes_.fetch_add(1);
    wakes_.notify_all();
  }
  do_tasks(Half::first);
  constexpr int kRests = 2000;  // then somebody else may need the processor more
  for (int i = 0; done_.load(std::memory_order_acquire) != tasks; ++i) {
    if (i < kRests) {
      rest();
    } else {
      std::this_thread::yield();
    }
  }
  if (has_failed_.load(std::memory_order_relaxed)) {
    has_failed_.store(false, std::memory_order_relaxed);
    std::rethrow_exception(std::exchange(error_, nullptr));
  }
}

void Team::help() {
  enter_team(*this);
  constexpr int kRests = 4000, kYields = 200;  // about 100 microseconds
  for (int waited = 0; !is_ending_.load(std::memory_order_relaxed); ++waited) {
    if (Tasks(tasks_.load(std::memory_order_relaxed)).are_left()) {
      do_tasks(Half::second);
      waited = 0;
    } else if (waited < kRests) {
      rest();
    } else if (waited < kRests + kYields) {
      std::this_thread::yield();
    } else {
      // Whoever hands out work after the last look at it sees a sleeper, and changes wakes_.
      sleepers_.fetch_add(1);
      const std::uint32_t wakes = wakes_.load();
      if (!Tasks(tasks_.load()).are_left() && !is_ending_.load()) wakes_.wait(wakes);
      sleepers_.fetch_sub(1);
      waited = 0;
    }
  }
}

}  // namespace headwater::detail
