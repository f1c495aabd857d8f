// Whole training steps of one row of the experiments, on random data as long as the real data:
//
//   steps_bench ROW [--steps N] [--batch N] [--threads N] [--isa NAME] [--lengths DIR]
//
// Prints lines "name<TAB>value": useful tokens a second, milliseconds a step, the peak memory of the process,
// the floating-point operations a step cannot do without, and their rate as a share of the machine's
// multiply-add peak, measured in this process before and after; the share of a step that waits for a batch
// which is prepared beside the one before (rows of images).
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>

#include "machine_peak.hpp"
#include "steps/runner.hpp"
#include "support/parallel.hpp"
#include "tensor/kernels/isa.hpp"

namespace headwater::bench {
namespace {

struct Options {
  std::string row;
  int steps = 10;
  Index batch = 0;  // examples of a step; 0: as the experiment
  int threads = 2;
  std::string lengths = HEADWATER_SOURCE_DIR "/tests/bench/lengths";
};

Options parse(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 >= argc) throw UsageError(word + " wants a value");
      return argv[++i];
    };
    if (word == "--steps") {
      o.steps = std::max(1, std::atoi(value().c_str()));
    } else if (word == "--batch") {
      o.batch = std::max(1, std::atoi(value().c_str()));
    } else if (word == "--threads") {
      o.threads = std::max(1, std::atoi(value().c_str()));
    } else if (word == "--isa") {
      kernels::set_isa(kernels::isa_of_name(value()));
    } else if (word == "--lengths") {
      o.lengths = value();
    } else if (o.row.empty() && !word.starts_with('-')) {
      o.row = word;
    } else {
      throw UsageError("unknown argument " + word);
    }
  }
  if (o.row.empty()) throw UsageError("which row? (steps_bench ROW)");
  return o;
}

void run(const Options& o) {
  using Clock = std::chrono::steady_clock;
  constexpr int kUntimed = 3;  // pages, caches and clocks settle
  double seconds = 0, waited = 0, tokens = 0, flops = 0, loss = 0;
  double peak = peak_gflops(o.threads);
  Runner runner(make_row(o.row, o.lengths), 1);
  if (o.batch > 0) runner.model().set_batch(o.batch);
  for (int step = 0; step < kUntimed + o.steps; ++step) {
    runner.draw();
    const double waited_before = runner.model().waiting_seconds();
    const auto start = Clock::now();
    loss = runner.step();
    if (step < kUntimed) continue;
    waited += runner.model().waiting_seconds() - waited_before;
    seconds += std::chrono::duration<double>(Clock::now() - start).count();
    tokens += static_cast<double>(runner.model().useful_tokens());
    flops += runner.model().useful_flops();
  }
  if (!std::isfinite(loss)) throw Error("row " + o.row + ": the loss is not finite");
  peak = std::max(peak, peak_gflops(o.threads));
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("useful_tokens_per_second\t%.1f\n", tokens / seconds);
  std::printf("milliseconds_a_step\t%.3f\n", 1e3 * seconds / o.steps);
  std::printf("peak_resident_bytes\t%lld\n", 1024LL * usage.ru_maxrss);
  std::printf("useful_gflop_a_step\t%.3f\n", 1e-9 * flops / o.steps);
  std::printf("machine_gflops\t%.1f\n", peak);
  std::printf("share_of_peak\t%.4f\n", 1e-9 * flops / seconds / peak);
  std::printf("waiting_share\t%.4f\n", waited / seconds);
  std::printf("parameters\t%lld\n", static_cast<long long>(runner.model().parameters().size()));
  std::printf("last_loss\t%.4f\n", loss);
}

}  // namespace
}  // namespace headwater::bench

int main(int argc, char** argv) {
  try {
    const headwater::bench::Options options = headwater::bench::parse(argc, argv);
    headwater::ThreadPool(options.threads).run([&] { headwater::bench::run(options); });
    return 0;
  } catch (const headwater::UsageError& error) {
    std::fprintf(stderr, "steps_bench: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "steps_bench: %s\n", error.what());
    return 1;
  }
}
