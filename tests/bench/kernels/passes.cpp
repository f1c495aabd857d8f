// Kernels that memory bounds: norms, softmax, embeddings, dropout, activations, optimizers.
#include "kernels/measure.hpp"
#include "tensor/kernels.hpp"

namespace headwater::bench {

namespace {

struct Norm {
  Values x, z, y, gamma, beta, moments, dy, dx, dgamma, dbeta;
  ReductionTree plan;
};

kernels::NormRule rule_of(const Norm& d) { return {d.gamma.data.data(), d.beta.data.data(), 1e-6f}; }

void register_norm(const Machine& machine, Index T, Index D) {
  const auto make = [=] {
    const auto d = std::make_shared<Norm>(Norm{{T, D},
                                               {T, D, 2},
                                               {T, D},
                                               {1, D, 3},
                                               {1, D, 4},
                                               {T, 2},
                                               {T, D, 5},
                                               {T, D},
                                               {1, D},
                                               {1, D},
                                               plan_of(T)});
    kernels::norm(d->x.view(), {}, rule_of(*d), {}, d->y.view(), d->moments.view());
    return d;
  };
  measure_with<Norm>(
      name_of("layer_norm", T, D), machine, {8 * product(T, D), 8 * product(T, D)}, make,
      [](Norm& d) { kernels::norm(d.x.view(), {}, rule_of(d), {}, d.y.view(), d.moments.view()); });
  measure_with<Norm>(name_of("layer_norm_backward", T, D), machine, {14 * product(T, D), 12 * product(T, D)},
                     make, [](Norm& d) {
                       kernels::norm_backward(d.x.view(), d.moments.view(), rule_of(d), d.dy.view(), d.plan,
                                              d.dx.view(), false,
                                              {d.dgamma.data.data(), d.dbeta.data.data(), false});
                     });
}

struct Pair {
  Values x, y;
};

// f(x, y): passes that read one matrix and write another.
template <class F>
void register_pass(const Machine& machine, const std::string& kernel, Index T, Index D, double flops, F f) {
  measure_with<Pair>(
      name_of(kernel, T, D), machine, {flops * product(T, D), 8 * product(T, D)},
      [=] {
        return std::make_shared<Pair>(Pair{{T, D}, {T, D}});
      },
      [f](Pair& d) { f(ConstMatrix(d.x.view()), d.y.view()); });
}

struct Table {
  Values table, y, dtable;
  ReductionTree plan;
  std::vector<std::int32_t> ids, order, starts;
};

void register_embedding(const Machine& machine, Index T, Index V, Index D) {
  const auto make = [=] {
    const auto d = std::make_shared<Table>(Table{{V, D},
                                                 {T, D},
                                                 {V, D},
                                                 plan_of(T),
                                                 {},
                                                 std::vector<std::int32_t>(T),
                                                 std::vector<std::int32_t>(static_cast<std::size_t>(V) + 1)});
    for (Index t = 0; t < T; ++t) d->ids.push_back(static_cast<std::int32_t>(t * t % V));
    return d;
  };
  measure_with<Table>(name_of("embedding", T, V, D), machine, {product(T, D), 8 * product(T, D)}, make,
                      [](Table& d) { kernels::embed(d.ids, d.table.view(), 1, {}, {}, d.y.view()); });
  measure_with<Table>(name_of("embedding_backward", T, V, D), machine, {product(T, D), 8 * product(T, D)},
                      make, [](Table& d) {
                        kernels::embed_backward(d.ids, d.y.view(), 1, d.plan, d.dtable.view(), false, d.order,
                                                d.starts);
                      });
}

struct State {
  Values w, m, v, g;
};

void register_optimizers(const Machine& machine, Index n) {
  const auto make = [=] { return std::make_shared<State>(State{{1, n}, {1, n, 2}, {1, n}, {1, n, 3}}); };
  // The second moment is not negative.
  const auto make_positive = [=] {
    auto d = make();
    for (Real& value : d->v.data) value *= value;
    return d;
  };
  measure_with<
      State>(name_of("rmsprop", n), machine, {7 * product(n), 20 * product(n)}, make_positive, [=](State& o) {
    kernels::rmsprop({1e-4f, 0.9f, 1e-7f, 1, false}, n, o.w.data.data(), o.v.data.data(), o.g.data.data());
  });
  measure_with<State>(name_of("adam", n), machine, {12 * product(n), 28 * product(n)}, make_positive,
                      [=](State& o) {
                        kernels::adam({1e-4f, 0.9f, 0.98f, 1e-9f, 1, 0.1f, 0.02f, false, 0}, n,
                                      o.w.data.data(), o.m.data.data(), o.v.data.data(), o.g.data.data());
                      });
  measure_with<State>(name_of("sgd", n), machine, {4 * product(n), 20 * product(n)}, make_positive,
                      [=](State& o) {
                        kernels::sgd({1e-4f, 0.9f, 1}, n, o.w.data.data(), o.m.data.data(), o.g.data.data());
                      });
}

}  // namespace

void register_passes(const Machine& machine) {
  for (const auto& [T, D] : {std::pair<Index, Index>{1000, 256}, {7168, 32}, {36864, 64}})
    register_norm(machine, T, D);
  register_pass(machine, "softmax", 2560, 20000, 4, [](ConstMatrix x, Matrix y) { kernels::softmax(x, y); });
  register_pass(machine, "softmax", 36864, 144, 4, [](ConstMatrix x, Matrix y) { kernels::softmax(x, y); });
  register_pass(machine, "gelu", 36864, 128, 20,
                [](ConstMatrix x, Matrix y) { kernels::activate(kernels::Activation::gelu, x, y); });
  register_pass(machine, "dropout", 36864, 128, 2, [](ConstMatrix x, Matrix y) {
    kernels::dropout(x, 0.1f, {.seed = 3, .purpose = Purpose::dropout}, 0, y, false);
  });
  register_embedding(machine, 7168, 20000, 32);
  register_embedding(machine, 10080, 20000, 256);
  register_optimizers(machine, 20'000'000);
}

}  // namespace headwater::bench
