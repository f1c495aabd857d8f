#include "support/parallel.hpp"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/error.hpp"

namespace headwater {

namespace {

// A leader's loops and the threads that wait for them. Each member begins with a stretch of the loop of its
// own, as it did in the loop before, whose results are in its caches, and then takes from the ends of others.
// Who takes a task is decided in one word: the number of the loop, and the tasks that nobody has begun.
class Team {
 public:
  static constexpr std::int64_t kMaxTasks = (1 << 20) - 1;
  explicit Team(int members) : stretches_(std::min(members, kMaxStretches)) {}
  // The tasks [first, first + count), no more than kMaxTasks.
  void run(std::int64_t first, std::int64_t count, detail::TaskFunction function, const void* body);
  void help(int member);  // until the team is dismissed
  void dismiss() { publish(kDismissed); }

 private:
  static constexpr std::uint64_t kDismissed = ~std::uint64_t{0}, kLoops = (1 << 24) - 1;
  static constexpr int kMaxStretches = 64;  // more members share them
  struct alignas(64) Stretch {
    std::atomic<std::uint64_t> open{0};  // loop << 40 | first << 20 | end
  };
  static bool take(Stretch& from, bool is_own, std::int64_t& index);
  void publish(std::uint64_t loop);
  bool take(int member, std::int64_t& index);
  void execute(std::int64_t index);

  // What all members read in a loop, and what helpers write: a cache line each.
  alignas(64) std::atomic<std::uint64_t> published_{0};  // the loop
  detail::TaskFunction function_ = nullptr;
  const void* body_ = nullptr;
  std::int64_t first_ = 0;
  std::uint64_t loop_ = 0;
  std::exception_ptr error_;
  const int stretches_;
  std::atomic<bool> has_failed_{false};
  alignas(64) std::atomic<std::int64_t> finished_{0};  // tasks, by helpers
  Stretch stretch_[kMaxStretches];
};

// Lets the helpers go at the end of a scope.
class Dismissal {
 public:
  explicit Dismissal(Team& team) : team_(team) {}
  ~Dismissal() { team_.dismiss(); }
  Dismissal(const Dismissal&) = delete;
  Dismissal& operator=(const Dismissal&) = delete;

 private:
  Team& team_;
};

// What a parallel_for on this thread does.
struct Place {
  Team* team = nullptr;   // that this thread leads
  bool is_alone = false;  // all of it
};
thread_local Place place;

// What holds on this thread until the end of a scope.
class PlaceScope {
 public:
  explicit PlaceScope(const Place& inside) : outside_(place) { place = inside; }
  ~PlaceScope() { place = outside_; }
  PlaceScope(const PlaceScope&) = delete;
  PlaceScope& operator=(const PlaceScope&) = delete;

 private:
  Place outside_;
};

// Waits in a loop: first without giving the processor away, later for others to run.
class Patience {
 public:
  // Has waited so long that sleeping costs less.
  bool is_over() const { return spins_ > kSpins + kYields; }
  void wait() {
    if (++spins_ > kSpins) {
      std::this_thread::yield();
    } else {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
  }

 private:
  static constexpr int kSpins = 2000;  // some ten microseconds
  static constexpr int kYields = 200;  // as long at least
  int spins_ = 0;
};

bool Team::take(Stretch& from, bool is_own, std::int64_t& index) {
  constexpr std::uint64_t kPlace = kMaxTasks;
  std::uint64_t open = from.open.load(std::memory_order_acquire);
  for (;;) {
    const std::uint64_t first = open >> 20 & kPlace, end = open & kPlace;
    if (first == end) return false;
    const std::uint64_t left = is_own ? open + (std::uint64_t{1} << 20) : open - 1;
    if (!from.open.compare_exchange_weak(open, left, std::memory_order_acq_rel, std::memory_order_acquire))
      continue;
    index = static_cast<std::int64_t>(is_own ? first : end - 1);
    return true;
  }
}

bool Team::take(int member, std::int64_t& index) {
  for (int i = 0; i < stretches_; ++i) {
    if (take(stretch_[(member + i) % stretches_], i == 0, index)) return true;
  }
  return false;
}

void Team::execute(std::int64_t index) {
  if (has_failed_.load(std::memory_order_relaxed)) return;
  const PlaceScope scope({.is_alone = true});
  try {
    function_(body_, first_ + index);
  } catch (...) {
    if (!has_failed_.exchange(true)) error_ = std::current_exception();
  }
}

void Team::run(std::int64_t first_task, std::int64_t count, detail::TaskFunction function, const void* body) {
  first_ = first_task;
  function_ = function;
  body_ = body;
  finished_.store(0, std::memory_order_relaxed);
  loop_ = (loop_ + 1) & kLoops;
  for (int i = stretches_ - 1; i >= 0; --i) {
    const auto first = static_cast<std::uint64_t>(i * count / stretches_),
               end = static_cast<std::uint64_t>((i + 1) * count / stretches_);
    stretch_[i].open.store(loop_ << 40 | first << 20 | end, std::memory_order_release);
  }
  publish(loop_);
  std::int64_t index = 0, own = 0;
  for (; take(0, index); ++own) execute(index);
  for (Patience patience; finished_.load(std::memory_order_acquire) != count - own;) patience.wait();
  if (!has_failed_.load(std::memory_order_relaxed)) return;
  has_failed_.store(false, std::memory_order_relaxed);
  std::rethrow_exception(std::exchange(error_, nullptr));
}

void Team::publish(std::uint64_t loop) {
  published_.store(loop, std::memory_order_seq_cst);  // before it looks for sleepers
  published_.notify_all();
}

// A helper that has nothing to do for long sleeps: its processor may be wanted, or rationed.
void Team::help(int member) {
  std::uint64_t seen = 0;
  for (;;) {
    Patience patience;
    while (published_.load(std::memory_order_acquire) == seen && !patience.is_over()) patience.wait();
    published_.wait(seen, std::memory_order_seq_cst);
    const std::uint64_t now = published_.load(std::memory_order_acquire);
    if (now == kDismissed) return;
    seen = now;
    for (std::int64_t index = 0; take(member, index);) {
      execute(index);
      finished_.fetch_add(1, std::memory_order_release);
    }
  }
}

}  // namespace

namespace detail {

void parallel_for(std::int64_t count, TaskFunction function, const void* body) {
  if (count <= 0) return;
  if (count == 1 || place.is_alone) {
    for (std::int64_t i = 0; i < count; ++i) function(body, i);
    return;
  }
  // Never by TBB: a leader that waits there may begin to help a team, its own, which it will not dismiss.
  if (place.team != nullptr) {
    for (std::int64_t first = 0; first < count; first += Team::kMaxTasks)
      place.team->run(first, std::min(count - first, Team::kMaxTasks), function, body);
    return;
  }
  tbb::parallel_for(
      tbb::blocked_range<std::int64_t>(0, count, 1),
      [=](const tbb::blocked_range<std::int64_t>& range) {
        for (std::int64_t i = range.begin(); i != range.end(); ++i) function(body, i);
      },
      tbb::simple_partitioner());
}

void isolate(Job job, void* data) {
  tbb::this_task_arena::isolate([=] { job(data); });
}

// What it is worth: a sentence decoded on two processors comes 1.15 to 1.36 times as fast as with TBB's loops
// alone (tests/bench/decoding_bench, batch 1; nothing at batch 64, whose groups are the parallel loop).
void lead_team(Job job, void* data) {
  // No more than processors: those that wait would take the time of those that work.
  const int members = std::min(parallel_threads(), tbb::info::default_concurrency());
  if (members == 1 || place.is_alone || place.team != nullptr) return job(data);
  Team team(members);
  std::atomic<int> joined{0};
  // Whoever comes first leads: helpers that find no thread until the job is done have nothing to do.
  const auto join = [&](const tbb::blocked_range<int>&) {
    if (const int member = joined.fetch_add(1)) return team.help(member);
    const PlaceScope scope({.team = &team});
    const Dismissal at_end(team);
    job(data);
  };
  tbb::parallel_for(tbb::blocked_range<int>(0, members, 1), join, tbb::simple_partitioner());
}

}  // namespace detail

int parallel_threads() { return tbb::this_task_arena::max_concurrency(); }

namespace {

// The number of the last start, and of the last one whose workers need not wait any more. Never freed: a task
// that found no worker may run later, or never.
std::atomic<std::uint32_t> last_start{0}, last_ended_start{0};

void wait_for_end_of_start(std::uint32_t start) {
  for (std::uint32_t ended = last_ended_start.load(std::memory_order_acquire); ended < start;
       ended = last_ended_start.load(std::memory_order_acquire)) {
    last_ended_start.wait(ended, std::memory_order_acquire);
  }
}

void end_start(std::uint32_t start) {
  std::uint32_t ended = last_ended_start.load(std::memory_order_relaxed);
  while (ended < start && !last_ended_start.compare_exchange_weak(ended, start, std::memory_order_release))
    continue;
  last_ended_start.notify_all();
}

// Starts all of the pool's workers. TBB starts them one after the other as work comes, each by the one
// before, and ends the program where a worker cannot start the next. Here this thread starts them: an arena
// of one worker for each, and all are kept busy until the last has begun, so that none is used twice.
void start_workers(int workers) {
  const std::uint32_t start = last_start.fetch_add(1, std::memory_order_relaxed) + 1;
  std::vector<std::unique_ptr<tbb::task_arena>> arenas;
  try {
    arenas.reserve(workers);
    while (static_cast<int>(arenas.size()) < workers) {
      arenas.push_back(std::make_unique<tbb::task_arena>(1, 0));
      arenas.back()->enqueue([start] { wait_for_end_of_start(start); });
    }
  } catch (const std::runtime_error&) {  // TBB's word for pthread_create
    end_start(start);
    throw Error("cannot start " + std::to_string(workers + 1) +
                " threads: the system allows no more threads or no more memory (see ulimit -u and -v); try "
                "--threads 1");
  } catch (...) {
    end_start(start);
    throw;
  }
  end_start(start);
}

}  // namespace

struct ThreadPool::Impl {
  explicit Impl(int threads)
      : limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)),
        arena(threads) {
    arena.initialize();  // TBB's threads live as long as there is an arena
    if (threads > 1) start_workers(threads - 1);
  }
  tbb::global_control limit;  // lifts TBB's own ceiling too, so that 8 threads on 2 processors are really 8
  tbb::task_arena arena;
};

ThreadPool::ThreadPool(int threads)
    : impl_(std::make_unique<Impl>(threads > 0 ? threads : std::max(1, tbb::info::default_concurrency()))) {}
ThreadPool::~ThreadPool() = default;

int ThreadPool::threads() const { return impl_->arena.max_concurrency(); }

void ThreadPool::execute(detail::Job job, void* data) {
  impl_->arena.execute([=] { job(data); });
}

struct BackgroundThread::Impl {
  std::mutex mutex;
  std::condition_variable changed;
  void (*job)(void*) = nullptr;  // waiting or running
  void* data = nullptr;
  std::exception_ptr error;
  bool is_ending = false;
  std::thread thread;  // last: it uses the others

  void run() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return job != nullptr || is_ending; });
      if (job == nullptr) return;
      lock.unlock();
      std::exception_ptr caught;
      try {
        job(data);
      } catch (...) {
        caught = std::current_exception();
      }
      lock.lock();
      error = caught;
      job = nullptr;
      changed.notify_all();
    }
  }
};

BackgroundThread::BackgroundThread() : impl_(std::make_unique<Impl>()) {
  impl_->thread = std::thread([impl = impl_.get()] { impl->run(); });
}

BackgroundThread::~BackgroundThread() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->is_ending = true;
  }
  impl_->changed.notify_all();
  impl_->thread.join();
}

void BackgroundThread::begin(void (*job)(void*), void* data) {
  wait();
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->job = job;
    impl_->data = data;
  }
  impl_->changed.notify_all();
}

void BackgroundThread::wait() {
  std::unique_lock lock(impl_->mutex);
  impl_->changed.wait(lock, [this] { return impl_->job == nullptr; });
  if (impl_->error) std::rethrow_exception(std::exchange(impl_->error, nullptr));
}

}  // namespace headwater
