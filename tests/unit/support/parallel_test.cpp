// Loops over a pool's threads: every index once, whatever the thread does in between.
#include "support/parallel.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "error_text.hpp"
#include "support/error.hpp"

using namespace headwater;

namespace headwater {
namespace {

// How often each index of a loop was called.
std::vector<int> calls(std::int64_t count) {
  std::vector<std::atomic<int>> called(count);
  parallel_for(count, [&](std::int64_t i) { ++called[i]; });
  return {called.begin(), called.end()};
}
bool is_each_called_once(std::int64_t count) { return calls(count) == std::vector<int>(count, 1); }

TEST_CASE("parallel_for: every index once, for any number of threads, and without a pool") {
  for (const std::int64_t count : {0, 1, 2, 3, 7, 64, 1000}) CHECK(is_each_called_once(count));
  for (const int threads : {1, 2, 3, 8}) {
    CAPTURE(threads);
    ThreadPool pool(threads);
    CHECK(pool.threads() == threads);
    pool.run([&] {
      CHECK(parallel_threads() == threads);
      bool is_right = true;
      for (int round = 0; round < 300; ++round) is_right = is_right && is_each_called_once(round % 40);
      CHECK(is_right);
      CHECK(is_each_called_once(3'000'000));
    });
  }
}

TEST_CASE("parallel_for: an exception comes out, and the next loop is whole again") {
  ThreadPool pool(2);
  pool.run([&] {
    for (int round = 0; round < 50; ++round) {
      CHECK_THROWS_AS(
          parallel_for(30, [](std::int64_t i) { i % 7 == 3 ? throw std::runtime_error("no") : void(); }),
          std::runtime_error);
      CHECK(is_each_called_once(30));
    }
  });
}

TEST_CASE("parallel_for: two pools work side by side") {
  const auto work = [] {
    bool is_right = true;
    ThreadPool(2).run([&] {
      for (int round = 0; round < 200; ++round) is_right = is_right && is_each_called_once(20);
    });
    return is_right;
  };
  bool other = false;
  std::thread thread([&] { other = work(); });
  CHECK(work());
  thread.join();
  CHECK(other);
}

TEST_CASE(
    "with_hot_team: every index once in loops of any length, one after the other and one within another") {
  for (const int threads : {1, 2, 3, 8}) {
    CAPTURE(threads);
    ThreadPool(threads).run([&] {
      bool is_right = true, was_called = false;
      with_hot_team([&] {
        was_called = true;
        for (int round = 0; round < 3000; ++round) is_right = is_right && is_each_called_once(round % 23);
        is_right = is_right && is_each_called_once(100'000);
        is_right = is_right && is_each_called_once(1'100'000);  // more than a team counts
        std::atomic<int> inner{0};
        parallel_for(11, [&](std::int64_t) { parallel_for(7, [&](std::int64_t) { ++inner; }); });
        is_right = is_right && inner == 77;
        with_hot_team([&] { is_right = is_right && is_each_called_once(5); });
      });
      CHECK(was_called);
      CHECK(is_right);
      CHECK(is_each_called_once(40));
    });
  }
}

TEST_CASE("with_hot_team: what a loop has written is there after it, and what comes before it within") {
  ThreadPool(2).run([] {
    with_hot_team([] {
      std::vector<int> values(64, 0);  // plain numbers: the sanitizer for threads sees a missing order
      for (int round = 1; round <= 2000; ++round) {
        for (int& value : values) ++value;
        parallel_for(8, [&](std::int64_t task) {
          for (std::int64_t i = task * 8; i < task * 8 + 8; ++i) ++values[i];
        });
        if (values != std::vector<int>(64, 2 * round)) throw std::runtime_error("lost in a loop");
      }
    });
  });
}

TEST_CASE("with_hot_team: the threads of a team take part") {
  ThreadPool(2).run([] {
    std::atomic<int> met{0};
    with_hot_team([&] {
      parallel_for(2, [&](std::int64_t) {  // each waits for the other
        ++met;
        while (met < 2) std::this_thread::yield();
      });
    });
    CHECK(met == 2);
  });
}

TEST_CASE("with_hot_team: exceptions of a loop and of the job come out") {
  ThreadPool(3).run([] {
    for (int round = 0; round < 50; ++round) {
      with_hot_team([] {
        CHECK_THROWS_AS(
            parallel_for(30, [](std::int64_t i) { i % 7 == 3 ? throw std::runtime_error("no") : void(); }),
            std::runtime_error);
        CHECK(is_each_called_once(30));
      });
      CHECK_THROWS_AS(with_hot_team([] { throw std::runtime_error("no"); }), std::runtime_error);
    }
  });
}

TEST_CASE("with_hot_team: several teams on one pool, more than it has threads") {
  ThreadPool(2).run([] {
    std::atomic<int> right{0};
    parallel_for(9, [&](std::int64_t) {
      isolate([&] {
        with_hot_team([&] {
          for (int round = 0; round < 100; ++round) right += is_each_called_once(12) ? 1 : 0;
        });
      });
    });
    CHECK(right == 900);
  });
}

}  // namespace
}  // namespace headwater

TEST_CASE("jobs run in turn on one other thread, and wait sees their results") {
  BackgroundThread thread;
  thread.wait();  // nothing was begun
  int value = 0;
  std::thread::id first_id, id;
  auto first = [&] {
    first_id = std::this_thread::get_id();
    value = 3;
  };
  auto second = [&] {
    id = std::this_thread::get_id();
    value *= 7;
  };
  thread.start(first);
  thread.start(second);  // after the first has ended
  thread.wait();
  CHECK(value == 21);
  CHECK(id == first_id);
  CHECK(id != std::this_thread::get_id());
}

TEST_CASE("what a job throws is thrown by the next wait, once") {
  BackgroundThread thread;
  auto fails = [] { throw Error("x.ids: no"); };
  thread.start(fails);
  CHECK(error_text([&] { thread.wait(); }) == "x.ids: no");
  thread.wait();
  int done = 0;
  auto works = [&] { ++done; };
  thread.start(works);
  thread.wait();
  CHECK(done == 1);
}

TEST_CASE("the end of the thread waits for its job") {
  bool done = false;
  auto job = [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    done = true;
  };
  {
    BackgroundThread thread;
    thread.start(job);
  }
  CHECK(done);
}
