// One job at a time on a thread of its own, beside the caller.
#pragma once

#include <memory>
#include <type_traits>

namespace headwater {

// For work that would otherwise stand between two parallel parts, such as packing the next batch. A job
// allocates nothing here; it must not use parallel_for, whose threads are busy with the caller's work.
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
