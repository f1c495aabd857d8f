// What the benchmarks of single kernels share.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "support/random.hpp"
#include "tensor/matrix.hpp"
#include "tensor/reduction_tree.hpp"

namespace headwater::bench {

// Measured before anything else.
struct Machine {
  int threads = 2;
  double gflops = 0;     // multiply-adds in registers
  double gigabytes = 0;  // read a second
};

// What one call has to compute, and what it has to read and write at least once.
struct Work {
  double flops = 0, bytes = 0;
};

// Registers a benchmark. Its counters: GFLOP/s, GB/s, the share of the multiply-add peak, and the share of
// the roofline (the time that the larger of both limits allows, over the time taken).
void measure(const std::string& name, const Machine& machine, const Work& work,
             const std::function<void()>& call);

// The same for a call that works on `Data`, made by `make` at the first call, so that the memory of one
// benchmark at a time is alive.
template <class Data, class Make, class Call>
void measure_with(const std::string& name, const Machine& machine, const Work& work, Make make, Call call) {
  measure(name, machine, work, [=, data = std::shared_ptr<Data>()]() mutable {
    if (!data) data = make();
    call(*data);
  });
}

// Memory that begins a cache line, as an arena's and PyTorch's does.
template <class T>
struct LineAllocator {
  using value_type = T;
  LineAllocator() = default;
  template <class U>
  LineAllocator(const LineAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t{64})); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, std::align_val_t{64}); }
  bool operator==(const LineAllocator&) const = default;
};

struct Values {
  std::vector<Real, LineAllocator<Real>> data;
  Index rows, cols;
  Values(Index r, Index c, std::uint64_t seed = 1, float amplitude = 1)
      : data(static_cast<std::size_t>(r * c)), rows(r), cols(c) {
    std::uint64_t element = 0;
    for (Real& value : data) value = amplitude * (2 * random_uniform({.seed = seed}, element++) - 1);
  }
  Matrix view() { return {data.data(), rows, cols}; }
};

// Sequences of this length, the last one shorter.
inline std::vector<Index> offsets_of(Index tokens, Index length) {
  std::vector<Index> offsets{0};
  while (offsets.back() < tokens) offsets.push_back(std::min(tokens, offsets.back() + length));
  return offsets;
}

inline ReductionTree plan_of(Index tokens, Index length = 20) {
  ReductionTree plan;
  plan.assign(offsets_of(tokens, length));
  return plan;
}

template <class... T>
std::string name_of(const std::string& kernel, T... sizes) {
  std::string name = kernel;
  ((name += "/" + std::to_string(sizes)), ...);
  return name;
}

template <class... T>
double product(T... factors) {
  return (1.0 * ... * static_cast<double>(factors));
}

// One file each.
void register_products(const Machine& machine);
void register_attention(const Machine& machine);
void register_passes(const Machine& machine);

}  // namespace headwater::bench
