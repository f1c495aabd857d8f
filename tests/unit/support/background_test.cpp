#include "support/parallel.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <thread>

#include "error_text.hpp"
#include "support/error.hpp"

using namespace headwater;

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
