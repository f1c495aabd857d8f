// The threads of a ThreadPool: one that hands out work and others that help. Between two loops helpers wait
// awake for a while, so that a loop of a few microseconds is worth sharing.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

#include "support/parallel.hpp"

namespace headwater::detail {

class Team {
 public:
  explicit Team(int threads);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int threads() const { return static_cast<int>(helpers_.size()) + 1; }

  // function(body, i) once for each i in [0, count); the first exception is rethrown when all have ended.
  // Called by one thread at a time, and not from within a task.
  void run(std::int64_t count, TaskFunction function, const void* body);

 private:
  // The caller begins with the first half of the tasks, helpers with the second. So a thread gets
  // mostly the tasks that it had in the loop before, and finds their data in its own cache.
  enum class Half { first, second };

  void help();
  std::int64_t take(Half of);
  void do_tasks(Half of);
  void do_task(std::int64_t index);

  // How many tasks there are, and how many were taken by the caller and by helpers. Whoever takes one that is
  // there may read the fields below: the loop does not end before the task has.
  std::atomic<std::uint64_t> tasks_{0};
  TaskFunction function_ = nullptr;
  const void* body_ = nullptr;
  std::int64_t count_ = 0, chunk_ = 1;  // a task is a chunk of indices
  alignas(64) std::atomic<std::int64_t> done_{0};
  std::atomic<bool> has_failed_{false};
  std::exception_ptr error_;
  alignas(64) std::atomic<int> sleepers_{0};
  std::atomic<std::uint32_t> wakes_{0};
  std::atomic<bool> is_ending_{false};
  std::vector<std::thread> helpers_;  // last: they use the others
};

// From now on this thread only does tasks of the team: loops inside them are its own.
void enter_team(Team& team);

}  // namespace headwater::detail
