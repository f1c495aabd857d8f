#include "support/parallel.hpp"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

namespace headwater {

namespace detail {

void parallel_for(std::int64_t count, TaskFunction function, const void* body) {
  if (count <= 0) return;
  if (count == 1) {
    function(body, 0);
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

}  // namespace detail

int parallel_threads() { return tbb::this_task_arena::max_concurrency(); }

struct ThreadPool::Impl {
  explicit Impl(int threads)
      : limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)),
        arena(threads) {}
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

}  // namespace headwater
