#include "machine_peak.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "support/parallel.hpp"

namespace headwater::bench {

namespace {

#if defined(__AVX512F__)
typedef float Lanes __attribute__((vector_size(64)));
#elif defined(__AVX__)
typedef float Lanes __attribute__((vector_size(32)));
#else
typedef float Lanes __attribute__((vector_size(16)));
#endif
constexpr int kLanes = sizeof(Lanes) / sizeof(float);
constexpr int kChains = 12;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

volatile float kept;

// Independent chains that stay in registers; contraction to fma is what is wanted here.
__attribute__((optimize("fp-contract=fast"))) void multiply_add(std::int64_t rounds) {
  Lanes a[kChains];
  for (int i = 0; i < kChains; ++i) a[i] = Lanes{} + static_cast<float>(i);
  Lanes factor = Lanes{} + kept, shift = Lanes{} + kept;
  for (std::int64_t n = 0; n < rounds; ++n) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) a[i] = a[i] * factor + shift;
  }
  Lanes sum = a[0];
  for (int i = 1; i < kChains; ++i) sum += a[i];
  kept = sum[0] * 0;
}

}  // namespace

double peak_gflops(int threads) {
  constexpr std::int64_t kRounds = 2'000'000;
  double best = 0;
  for (int repeat = 0; repeat < 10; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    parallel_for(threads, [](std::int64_t) { multiply_add(kRounds); });
    best = std::max(best, 2e-9 * kRounds * kChains * kLanes * threads / seconds_since(start));
  }
  return best;
}

double read_gigabytes_per_second(int threads) {
  constexpr std::int64_t kStreams = 4;  // at once in a thread: one alone reads a fifth less
  constexpr std::int64_t kUnroll = 4;
  std::vector<float> memory(64 << 20, 1.0f);  // 256 MiB
  const std::int64_t length = static_cast<std::int64_t>(memory.size()) / threads / kStreams;
  double best = 0;
  for (int repeat = 0; repeat < 10; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    parallel_for(threads, [&](std::int64_t task) {
      Lanes sum[kStreams * kUnroll] = {};
      const float* x = memory.data() + task * kStreams * length;
      for (std::int64_t i = 0; i + kUnroll * kLanes <= length; i += kUnroll * kLanes) {
        for (std::int64_t stream = 0; stream < kStreams; ++stream) {
          for (std::int64_t j = 0; j < kUnroll; ++j) {
            Lanes value;
            __builtin_memcpy(&value, x + stream * length + i + j * kLanes, sizeof value);
            sum[stream * kUnroll + j] += value;
          }
        }
      }
      for (const Lanes& part : sum) kept = part[0] * 0;
    });
    best = std::max(best, 4e-9 * static_cast<double>(memory.size()) / seconds_since(start));
  }
  return best;
}

}  // namespace headwater::bench
