// Time of attention, forward and backward, against the length of sequences: a row a length for
// tests/bench/scaling.sh, the least of several runs each. 8 heads of width 32. Over 8,192 tokens, not causal,
// beside the sum of squared lengths; with a window W over 32,768, causal, beside attention to all.
//
//   attention_scaling [THREADS [W [TOKENS]]]    2, 0: no window, 8192 (of a window 32768)
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "support/parallel.hpp"
#include "support/random.hpp"
#include "tensor/kernels/attention/attention.hpp"

using namespace headwater;

namespace {

constexpr Index kHeads = 8, kHeadWidth = 32, kWidth = kHeads * kHeadWidth;

struct Values {
  std::vector<Real> numbers;
  Index rows, cols;
  Values(Index r, Index c, std::uint64_t seed) : numbers(static_cast<std::size_t>(r * c)), rows(r), cols(c) {
    std::uint64_t element = 0;
    for (Real& x : numbers) x = 2 * random_uniform({.seed = seed}, element++) - 1;
  }
  Matrix view() { return {numbers.data(), rows, cols}; }
};

struct Data {
  Index tokens;
  Values q{tokens, kWidth, 1}, k{tokens, kWidth, 2}, v{tokens, kWidth, 3}, dout{tokens, kWidth, 4},
      out{tokens, kWidth, 5}, dq{tokens, kWidth, 6}, dk{tokens, kWidth, 7}, dv{tokens, kWidth, 8},
      stats{tokens, 2 * kHeads, 9};
};

struct Case {
  Index length;
  bool is_causal = false;
  Index window = 0;
  int runs = 7;
};

double microseconds(Data& data, const Case& c) {
  std::vector<Index> offsets;
  for (Index at = 0; at <= data.tokens; at += c.length) offsets.push_back(at);
  kernels::AttentionShape shape;
  shape.query_offsets = shape.key_offsets = offsets;
  shape.heads = kHeads;
  shape.head_width = kHeadWidth;
  shape.scale = 0.2f;
  shape.is_causal = c.is_causal;
  shape.window = c.window;
  double least = 1e30;
  for (int run = 0; run < c.runs; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    kernels::attention(data.q.view(), data.k.view(), data.v.view(), shape, data.out.view(),
                       data.stats.view());
    kernels::attention_backward(data.q.view(), data.k.view(), data.v.view(), data.out.view(),
                                data.stats.view(), data.dout.view(), shape, data.dq.view(), data.dk.view(),
                                data.dv.view());
    least = std::min(
        least, std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
  }
  return least;
}

}  // namespace

int main(int count, char** words) {
  const Index window = count > 2 ? std::atoll(words[2]) : 0;
  Data data{count > 3 ? std::atoll(words[3]) : window > 0 ? 32'768 : 8192};
  ThreadPool pool(count > 1 ? std::atoi(words[1]) : 2);
  pool.run([&] {
    for (Index length = 16; window == 0 && length <= std::min<Index>(2048, data.tokens); length *= 2) {
      const double time = microseconds(data, {length}), squares = static_cast<double>(data.tokens * length);
      std::printf("%lld\t%.0f\t%.0f\t%.3f\n", static_cast<long long>(length), squares, time,
                  1e3 * time / squares);
    }
    for (Index length = 512; window > 0 && length <= data.tokens; length *= 2) {
      const int runs = length > 4096 ? 2 : 5;
      const double all = microseconds(data, {length, true, 0, runs}),
                   local = microseconds(data, {length, true, window, runs});
      std::printf("%lld\t%.0f\t%.0f\t%.1f\n", static_cast<long long>(length), all, local, all / local);
    }
  });
  return 0;
}
