// Parallel loops. Work is cut by the caller into `count` tasks, each of which writes its own outputs, so
// results cannot depend on who ran it. Their number and bounds depend on the problem alone, or on the number
// of threads too where no bit of the results depends on the cut.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

namespace headwater {

namespace detail {
using TaskFunction = void (*)(const void* body, std::int64_t index);
void parallel_for(std::int64_t count, TaskFunction function, const void* body);
using Job = void (*)(void* job);
void isolate(Job job, void* data);
void lead_team(Job job, void* data);
}  // namespace detail

// Calls body(i) once for each i in [0, count), on the threads of the enclosing ThreadPool::run (or TBB's
// default). The first exception thrown by a task is rethrown here.
template <class Body>
void parallel_for(std::int64_t count, const Body& body) {
  detail::parallel_for(
      count, [](const void* b, std::int64_t i) { (*static_cast<const Body*>(b))(i); }, &body);
}

// How many bodies of the enclosing ThreadPool::run run at once, at most. No bit of what is computed may
// depend on it.
int parallel_threads();

// Calls job() such that a thread that waits inside for a parallel_for helps with that one alone: a body of an
// outer loop runs to its end before its thread begins another.
template <class F>
void isolate(F&& job) {
  detail::isolate([](void* j) { (*static_cast<std::remove_reference_t<F>*>(j))(); }, &job);
}

// Calls job() with the pool's other threads, as many as there are processors, standing by: they wait in a
// loop of their own for each parallel_for inside, which so begins and ends within a fraction of a
// microsecond. For jobs of many short loops. A loop within the body of another runs on one thread; without
// free threads the caller does all the work.
template <class F>
void with_hot_team(F&& job) {
  detail::lead_team([](void* j) { (*static_cast<std::remove_reference_t<F>*>(j))(); }, &job);
}

// An arena of exactly `threads` threads (1 or more; 0: one for each processor of the affinity mask).
class ThreadPool {
 public:
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const;

  // Runs job() inside the arena: every parallel_for below it uses this pool's threads.
  template <class F>
  void run(F&& job) {
    execute([](void* j) { (*static_cast<std::remove_reference_t<F>*>(j))(); }, &job);
  }

 private:
  void execute(detail::Job job, void* data);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// One job at a time on a thread of its own, beside the caller: for work that would otherwise stand between
// two parallel parts, such as packing the next batch. A job allocates nothing here; it must not use
// parallel_for, whose threads are busy with the caller's work.
class BackgroundThread {
 public:
  BackgroundThread();
  ~BackgroundThread();  // waits for the job
  BackgroundThread(const BackgroundThread&) = delete;
  BackgroundThread& operator=(const BackgroundThread&) = delete;

  // Begins job(), after the one before has ended. The job must live until wait() returns.
  template <class F>
  void start(F& job) {
    begin([](void* j) { (*static_cast<F*>(j))(); }, &job);
  }

  // Until the job begun last has ended; rethrows what it threw, once.
  void wait();

 private:
  void begin(void (*job)(void*), void* data);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headwater
