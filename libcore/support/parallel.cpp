#include "support/parallel.hpp"

#include <tbb/blocked_range.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

#include "support/team.hpp"

namespace headwater {

namespace {

// Where a thread is: in run() of a pool, and then perhaps in a task of a loop. Elsewhere loops are TBB's.
struct Place {
  detail::Team* team = nullptr;
  bool is_task = false;
};
thread_local Place here;

// Elsewhere until the end of the scope.
class Stay {
 public:
  explicit Stay(const Place& place) : before_(here) { here = place; }
  ~Stay() { here = before_; }
  Stay(const Stay&) = delete;
  Stay& operator=(const Stay&) = delete;

 private:
  Place before_;
};

}  // namespace

namespace detail {

void enter_team(Team& team) { here = {&team, true}; }

void parallel_for(std::int64_t count, TaskFunction function, const void* body) {
  if (count <= 0) return;
  if (count == 1 || here.is_task) {
    for (std::int64_t i = 0; i < count; ++i) function(body, i);
  } else if (here.team != nullptr) {
    const Stay stay({here.team, true});
    here.team->run(count, function, body);
  } else {
    tbb::parallel_for(
        tbb::blocked_range<std::int64_t>(0, count, 1),
        [=](const tbb::blocked_range<std::int64_t>& range) {
          for (std::int64_t i = range.begin(); i != range.end(); ++i) function(body, i);
        },
        tbb::simple_partitioner());
  }
}

}  // namespace detail

int parallel_threads() {
  return here.team != nullptr ? here.team->threads() : tbb::this_task_arena::max_concurrency();
}

struct ThreadPool::Impl {
  explicit Impl(int threads) : team(threads) {}
  detail::Team team;
};

ThreadPool::ThreadPool(int threads)
    : impl_(std::make_unique<Impl>(threads > 0 ? threads : std::max(1, tbb::info::default_concurrency()))) {}
ThreadPool::~ThreadPool() = default;

int ThreadPool::threads() const { return impl_->team.threads(); }

void ThreadPool::execute(detail::Job job, void* data) {
  if (here.team == &impl_->team) return job(data);
  const Stay stay({&impl_->team, false});
  job(data);
}

}  // namespace headwater
