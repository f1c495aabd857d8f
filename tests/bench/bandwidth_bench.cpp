// Gigabytes a second that the threads read from memory, for tests/bench/generation.sh.
//
//   bandwidth_bench THREADS

#include <cstdio>
#include <cstdlib>

#include "machine_peak.hpp"
#include "support/parallel.hpp"

int main(int count, char** words) {
  const int threads = count > 1 ? std::atoi(words[1]) : 0;
  if (threads < 1) {
    std::fputs("bandwidth_bench: how many threads? (bandwidth_bench THREADS)\n", stderr);
    return 2;
  }
  headwater::ThreadPool(threads).run(
      [&] { std::printf("%.2f\n", headwater::bench::read_gigabytes_per_second(threads)); });
}
