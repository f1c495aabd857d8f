// Kernels alone, in the shapes of the recipes: GFLOP/s, GB/s, and the shares of the multiply-add peak and of
// the roofline, both limits measured in this run. Its own arguments come before Google Benchmark's:
// [--threads N] [--isa NAME].
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "kernels/measure.hpp"
#include "machine_peak.hpp"
#include "support/enum_names.hpp"
#include "support/error.hpp"
#include "support/parallel.hpp"
#include "tensor/kernels.hpp"

namespace headwater::bench {

void measure(const std::string& name, const Machine& machine, const Work& work,
             const std::function<void()>& call) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [=, once = call](benchmark::State& state) {
                                 using Clock = std::chrono::steady_clock;
                                 double seconds = 0;
                                 ThreadPool pool(machine.threads);
                                 const std::function<void()> run = once;  // its memory goes with this copy
                                 pool.run([&] {
                                   run();  // pages and scratch
                                   for (auto _ : state) {
                                     const auto start = Clock::now();
                                     run();
                                     const double taken =
                                         std::chrono::duration<double>(Clock::now() - start).count();
                                     state.SetIterationTime(taken);
                                     seconds += taken;
                                   }
                                 });
                                 const double each = seconds / static_cast<double>(state.iterations());
                                 const double least = std::max(1e-9 * work.flops / machine.gflops,
                                                               1e-9 * work.bytes / machine.gigabytes);
                                 state.counters["GFLOP/s"] = 1e-9 * work.flops / each;
                                 state.counters["GB/s"] = 1e-9 * work.bytes / each;
                                 state.counters["peak_%"] = 1e-7 * work.flops / each / machine.gflops;
                                 state.counters["roofline_%"] = 100 * least / each;
                               })
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

namespace {

// Takes "--name value" out of the arguments.
std::string taken(int& argc, char** argv, const char* name, const char* otherwise) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], name) != 0) continue;
    const std::string value = argv[i + 1];
    for (int j = i; j + 2 <= argc; ++j) argv[j] = argv[j + 2];
    argc -= 2;
    return value;
  }
  return otherwise;
}

int run(int argc, char** argv) {
  Machine machine;
  machine.threads = std::max(1, std::atoi(taken(argc, argv, "--threads", "2").c_str()));
  const std::string here(headwater::name_of(kernels::active_isa()));
  kernels::set_isa(kernels::isa_of_name(taken(argc, argv, "--isa", here.c_str())));
  ThreadPool(machine.threads).run([&] {
    machine.gflops = peak_gflops(machine.threads);
    machine.gigabytes = read_gigabytes_per_second(machine.threads);
  });
  const std::string isa(headwater::name_of(kernels::active_isa()));
  // The same words as a comment of the tables that compare.sh makes.
  std::fprintf(stderr, "%d threads, %s: FMA peak %.0f GFLOP/s, memory read %.1f GB/s\n", machine.threads,
               isa.c_str(), machine.gflops, machine.gigabytes);
  benchmark::AddCustomContext("fma_peak_gflops", std::to_string(machine.gflops));
  benchmark::AddCustomContext("read_gigabytes_per_second", std::to_string(machine.gigabytes));
  benchmark::AddCustomContext("isa", isa);
  register_products(machine);
  register_attention(machine);
  register_passes(machine);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace
}  // namespace headwater::bench

int main(int argc, char** argv) {
  try {
    return headwater::bench::run(argc, argv);
  } catch (const headwater::Error& error) {
    std::fprintf(stderr, "kernels_bench: %s\n", error.what());
    return 1;
  }
}
