// Time of attention, forward and backward, over the sum of squared sequence lengths: a row a length for
// tests/bench/scaling.sh, the least of several runs each. 8,192 tokens, 8 heads of width 32, not causal.
//
//   attention_scaling [THREADS]    2
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

constexpr Index kTokens = 8192, kHeads = 8, kHeadWidth = 32, kWidth = kHeads * kHeadWidth;

struct Values {
  std::vector<Real> numbers;
  Index cols;
  Values(Index c, std::uint64_t seed) : numbers(static_cast<std::size_t>(kTokens * c)), cols(c) {
    std::uint64_t element = 0;
    for (Real& x : numbers) x = 2 * random_uniform({.seed = seed}, element++) - 1;
  }
  Matrix view() { return {numbers.data(), kTokens, cols}; }
};

struct Data {
  Values q{kWidth, 1}, k{kWidth, 2}, v{kWidth, 3}, dout{kWidth, 4}, out{kWidth, 5}, dq{kWidth, 6},
      dk{kWidth, 7}, dv{kWidth, 8}, stats{2 * kHeads, 9};
};

double microseconds(Data& data, Index length) {
  std::vector<Index> offsets;
  for (Index at = 0; at <= kTokens; at += length) offsets.push_back(at);
  kernels::AttentionShape shape;
  shape.query_offsets = shape.key_offsets = offsets;
  shape.heads = kHeads;
  shape.head_width = kHeadWidth;
  shape.scale = 0.2f;
  double least = 1e30;
  for (int run = 0; run < 7; ++run) {
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
  Data data;
  ThreadPool pool(count > 1 ? std::atoi(words[1]) : 2);
  pool.run([&] {
    for (Index length = 16; length <= 2048; length *= 2) {
      const double time = microseconds(data, length), squares = static_cast<double>(kTokens * length);
      std::printf("%lld\t%.0f\t%.0f\t%.3f\n", static_cast<long long>(length), squares, time,
                  1e3 * time / squares);
    }
  });
  return 0;
}
