// Loops over a pool's threads: every index once, whatever the thread does in between.
#include "support/parallel.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace headwater {
namespace {

// How often each index of a loop was called.
std::vector<int> calls(std::int64_t count) {
  std::vector<std::atomic<int>> called(static_cast<std::size_t>(count));
  parallel_for(count, [&](std::int64_t i) { ++called[static_cast<std::size_t>(i)]; });
  return {called.begin(), called.end()};
}
bool is_each_called_once(std::int64_t count) {
  return calls(count) == std::vector<int>(static_cast<std::size_t>(count), 1);
}

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

}  // namespace
}  // namespace headwater
