// Kernels alone, in the shapes of the recipes: GFLOP/s and the share of the FMA peak, or GB/s and the share
// of the read bandwidth, both measured in this run. Its own arguments come before Google Benchmark's:
// [--threads N] [--isa NAME].
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "machine_peak.hpp"
#include "support/error.hpp"
#include "support/parallel.hpp"
#include "support/random.hpp"
#include "tensor/kernels.hpp"

namespace headwater {
namespace {

using kernels::Activation;

struct Machine {
  int threads = 2;
  double gflops = 0, gigabytes = 0;
};

struct Values {
  std::vector<Real> data;
  Index rows, cols;
  Values(Index r, Index c, std::uint64_t seed = 1, float amplitude = 1)
      : data(static_cast<std::size_t>(r * c)), rows(r), cols(c) {
    std::uint64_t element = 0;
    for (Real& value : data) value = amplitude * (2 * random_uniform({.seed = seed}, element++) - 1);
  }
  Matrix view() { return {data.data(), rows, cols}; }
};

// Sequences of this length, the last one shorter.
std::vector<Index> offsets_of(Index tokens, Index length) {
  std::vector<Index> offsets{0};
  while (offsets.back() < tokens) offsets.push_back(std::min(tokens, offsets.back() + length));
  return offsets;
}

FoldPlan plan_of(Index tokens, Index length = 20) {
  FoldPlan plan;
  plan.assign(offsets_of(tokens, length));
  return plan;
}

// `work` in operations (or bytes) of one call.
void measure(const std::string& name, const Machine& machine, bool is_memory_bound, double work,
             const std::function<void()>& call) {
  benchmark::RegisterBenchmark(
      name.c_str(),
      [=](benchmark::State& state) {
        using Clock = std::chrono::steady_clock;
        double seconds = 0;
        ThreadPool pool(machine.threads);
        pool.run([&] {
          call();  // pages and scratch
          for (auto _ : state) {
            const auto start = Clock::now();
            call();
            const double taken = std::chrono::duration<double>(Clock::now() - start).count();
            state.SetIterationTime(taken);
            seconds += taken;
          }
        });
        const double rate = 1e-9 * work * static_cast<double>(state.iterations()) / seconds;
        state.counters[is_memory_bound ? "GB/s" : "GFLOP/s"] = rate;
        state.counters["share_%"] = 100 * rate / (is_memory_bound ? machine.gigabytes : machine.gflops);
      })
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

template <class... T>
std::string name_of(const char* kernel, T... sizes) {
  std::string name = kernel;
  ((name += "/" + std::to_string(sizes)), ...);
  return name;
}

struct Shape {
  Index T, I, O;
};

// Tokens of a packed batch or of a step of decoding; input and output width.
constexpr Shape kShapes[] = {{1, 256, 2048},     {1, 2048, 256},     {1, 256, 15000},    {64, 128, 512},
                             {64, 128, 10000},   {300, 256, 256},    {300, 256, 2048},   {300, 2048, 256},
                             {300, 256, 15000},  {1000, 256, 256},   {1000, 256, 2048},  {1000, 2048, 256},
                             {1000, 256, 15000}, {1000, 15000, 256}, {1024, 1024, 1024}, {2048, 256, 256},
                             {2560, 256, 20000}, {3136, 128, 128},   {7500, 32, 32},     {7500, 32, 64},
                             {10240, 256, 256},  {10240, 256, 512},  {19200, 512, 256},  {36864, 64, 64},
                             {36864, 64, 128},   {36864, 64, 256},   {36864, 256, 64}};

void register_products(const Machine& machine) {
  for (const Shape& s : kShapes) {
    const double work = 2.0 * static_cast<double>(s.T) * static_cast<double>(s.I) * static_cast<double>(s.O);
    // Allocated at the first call, so that one shape's memory is alive at a time.
    const auto with_memory = [=](auto run) {
      return [=, memory = std::shared_ptr<void>()]() mutable { run(memory); };
    };
    measure(name_of("linear", s.T, s.I, s.O), machine, false, work,
            with_memory([=](std::shared_ptr<void>& memory) {
              struct Data {
                Values x, w, bias, y;
              };
              if (!memory)
                memory = std::make_shared<Data>(Data{{s.T, s.I}, {s.I, s.O, 2}, {1, s.O, 3}, {s.T, s.O}});
              Data& d = *static_cast<Data*>(memory.get());
              kernels::linear(d.x.view(), d.w.view(), d.bias.data.data(), Activation::relu, d.y.view());
            }));
    measure(name_of("linear_backward_input", s.T, s.I, s.O), machine, false, work,
            with_memory([=](std::shared_ptr<void>& memory) {
              struct Data {
                Values dy, w, dx;
              };
              if (!memory) memory = std::make_shared<Data>(Data{{s.T, s.O}, {s.I, s.O, 2}, {s.T, s.I}});
              Data& d = *static_cast<Data*>(memory.get());
              kernels::linear_backward_input(d.dy.view(), d.w.view(), d.dx.view(), false);
            }));
    measure(name_of("linear_backward_weight", s.T, s.I, s.O), machine, false, work,
            with_memory([=](std::shared_ptr<void>& memory) {
              struct Data {
                Values x, dy, dw, db;
                FoldPlan plan;
              };
              if (!memory)
                memory = std::make_shared<Data>(
                    Data{{s.T, s.I}, {s.T, s.O, 2}, {s.I, s.O}, {1, s.O}, plan_of(s.T)});
              Data& d = *static_cast<Data*>(memory.get());
              kernels::linear_backward_weight(d.x.view(), d.dy.view(), d.plan, d.dw.view(), d.db.data.data(),
                                              false);
            }));
  }
}

void register_cross_entropy(const Machine& machine) {
  for (const Shape& s : {Shape{300, 256, 15000}, Shape{1000, 256, 15000}, Shape{2560, 256, 20000}}) {
    struct Data {
      Values h, w, bias, dh, dw, db, block, scratch;
      FoldPlan plan;
      std::vector<std::int32_t> labels;
    };
    const double work = 6.0 * static_cast<double>(s.T) * static_cast<double>(s.I) * static_cast<double>(s.O);
    measure(name_of("linear_cross_entropy", s.T, s.I, s.O), machine, false, work,
            [=, memory = std::shared_ptr<Data>()]() mutable {
              if (!memory) {
                const FoldPlan plan = plan_of(s.T);
                memory =
                    std::make_shared<Data>(Data{{s.T, s.I},
                                                {s.I, s.O, 2, 0.05f},
                                                {1, s.O, 3},
                                                {s.T, s.I},
                                                {s.I, s.O},
                                                {1, s.O},
                                                {kernels::cross_entropy_block_rows(plan), s.O},
                                                {kernels::cross_entropy_scratch_rows(plan), s.I * s.O + s.O},
                                                plan,
                                                {}});
                for (Index t = 0; t < s.T; ++t)
                  memory->labels.push_back(static_cast<std::int32_t>(t * 7919 % s.O));
              }
              kernels::CrossEntropyGradients gradients;
              gradients.dh = memory->dh.view();
              gradients.dw = memory->dw.view();
              gradients.db = memory->db.data.data();
              gradients.fold_scratch = memory->scratch.view();
              kernels::linear_cross_entropy(
                  memory->h.view(), memory->w.view(), false, memory->bias.data.data(), memory->labels, 0,
                  1.0f / static_cast<float>(s.T), memory->plan, memory->block.view(), &gradients);
            });
  }
}

struct AttentionCase {
  Index length, heads, width;
  bool is_causal;
};

void register_attention(const Machine& machine) {
  for (const AttentionCase& c : {AttentionCase{10, 8, 256, false},
                                 {10, 8, 32, true},
                                 {80, 2, 256, true},
                                 {144, 4, 64, false},
                                 {144, 4, 16, false},
                                 {600, 2, 32, false}}) {
    const Index T = 64'000 / (c.heads * c.width) / c.length * c.length + c.length * 8, D = c.heads * c.width;
    struct Data {
      Values q, k, v, out, stats, dout, dq, dk, dv;
      std::vector<Index> offsets;
    };
    const double pairs = static_cast<double>(T) * static_cast<double>(c.length) * (c.is_causal ? 0.5 : 1.0) *
                         static_cast<double>(D);
    const auto data = std::make_shared<Data>(Data{{T, D},
                                                  {T, D, 2},
                                                  {T, D, 3},
                                                  {T, D},
                                                  {T, 2 * c.heads},
                                                  {T, D, 4},
                                                  {T, D},
                                                  {T, D},
                                                  {T, D},
                                                  offsets_of(T, c.length)});
    const auto shape = [c, data] {
      kernels::AttentionShape s;
      s.query_offsets = s.key_offsets = data->offsets;
      s.heads = c.heads;
      s.head_width = c.width;
      s.scale = 1 / std::sqrt(static_cast<float>(c.width));
      s.is_causal = c.is_causal;
      return s;
    };
    const char* mask = c.is_causal ? "_causal" : "";
    measure(name_of((std::string("attention") + mask).c_str(), c.length, c.heads, c.width), machine, false,
            4 * pairs, [=] {
              kernels::attention(data->q.view(), data->k.view(), data->v.view(), shape(), data->out.view(),
                                 data->stats.view());
            });
    measure(name_of((std::string("attention_backward") + mask).c_str(), c.length, c.heads, c.width), machine,
            false, 10 * pairs, [=] {
              kernels::attention(data->q.view(), data->k.view(), data->v.view(), shape(), data->out.view(),
                                 data->stats.view());
              kernels::attention_backward(data->q.view(), data->k.view(), data->v.view(), data->out.view(),
                                          data->stats.view(), data->dout.view(), shape(), data->dq.view(),
                                          data->dk.view(), data->dv.view());
            });
  }
}

void register_passes(const Machine& machine) {
  const Index T = 1000, D = 256;
  struct Data {
    Values x, y, sum, gamma, beta, moments;
  };
  const auto norm = std::make_shared<Data>(Data{{T, D}, {T, D, 2}, {T, D}, {1, D, 3}, {1, D, 4}, {T, 2}});
  measure(name_of("layer_norm", T, D), machine, true, 16.0 * T * D, [=] {
    kernels::layer_norm(norm->x.view(), norm->y.view(), norm->gamma.data.data(), norm->beta.data.data(),
                        1e-6f, norm->sum.view(), norm->y.view(), norm->moments.view());
  });
  constexpr Index kParameters = 20'000'000;
  struct Optimizer {
    Values w, m, v, g;
  };
  const auto memory = std::make_shared<std::shared_ptr<Optimizer>>();
  const auto state = [memory]() -> Optimizer& {
    if (!*memory)
      *memory = std::make_shared<Optimizer>(
          Optimizer{{1, kParameters}, {1, kParameters, 2}, {1, kParameters}, {1, kParameters, 3}});
    return **memory;
  };
  measure(name_of("rmsprop", kParameters), machine, true, 20.0 * kParameters, [=] {
    Optimizer& o = state();
    kernels::rmsprop({1e-4f, 0.9f, 1e-7f, 1, false}, kParameters, o.w.data.data(), o.v.data.data(),
                     o.g.data.data());
  });
  measure(name_of("adam", kParameters), machine, true, 28.0 * kParameters, [=] {
    Optimizer& o = state();
    kernels::adam({1e-4f, 0.9f, 0.98f, 1e-9f, 1, 0.1f, 0.02f, false, 0}, kParameters, o.w.data.data(),
                  o.m.data.data(), o.v.data.data(), o.g.data.data());
  });
}

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
  machine.threads = std::atoi(taken(argc, argv, "--threads", "2").c_str());
  const std::string isa = taken(argc, argv, "--isa", kernels::name_of(kernels::active_isa()));
  for (const kernels::Isa candidate : {kernels::Isa::avx512, kernels::Isa::avx2, kernels::Isa::portable}) {
    if (isa == kernels::name_of(candidate)) kernels::set_isa(candidate);
  }
  ThreadPool(machine.threads).run([&] {
    machine.gflops = bench::peak_gflops(machine.threads);
    machine.gigabytes = bench::read_gigabytes_per_second(machine.threads);
  });
  std::fprintf(stderr, "%d threads, %s: FMA peak %.0f GFLOP/s, memory read %.1f GB/s\n", machine.threads,
               kernels::name_of(kernels::active_isa()), machine.gflops, machine.gigabytes);
  benchmark::AddCustomContext("fma_peak_gflops", std::to_string(machine.gflops));
  benchmark::AddCustomContext("read_gigabytes_per_second", std::to_string(machine.gigabytes));
  benchmark::AddCustomContext("isa", kernels::name_of(kernels::active_isa()));
  register_products(machine);
  register_cross_entropy(machine);
  register_attention(machine);
  register_passes(machine);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace
}  // namespace headwater

int main(int argc, char** argv) {
  try {
    return headwater::run(argc, argv);
  } catch (const headwater::Error& error) {
    std::fprintf(stderr, "kernels_bench: %s\n", error.what());
    return 1;
  }
}
