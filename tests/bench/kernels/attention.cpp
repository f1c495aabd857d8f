// Attention over packed sequences of one length, forward and backward.
#include <cmath>

#include "kernels/measure.hpp"
#include "tensor/kernels.hpp"

namespace headwater::bench {

namespace {

// The same list as peers/kernels_torch.py.
struct Case {
  Index sequences, length, heads, width;
  bool is_causal;
};
constexpr Case kCases[] = {{64, 10, 8, 256, false}, {64, 10, 8, 256, true},  {64, 10, 8, 16, false},
                           {64, 10, 8, 16, true},   {64, 80, 2, 256, true},  {64, 80, 8, 64, false},
                           {64, 80, 8, 16, true},   {32, 144, 4, 64, false}, {32, 144, 8, 16, false},
                           {32, 144, 2, 256, true}, {8, 600, 2, 32, false},  {8, 600, 2, 256, false},
                           {8, 600, 8, 64, true}};

struct Data {
  Values q, k, v, out, stats, dout, dq, dk, dv;
  std::vector<Index> offsets;
  kernels::AttentionShape shape;
};

void forward(Data& d) {
  kernels::attention(d.q.view(), d.k.view(), d.v.view(), d.shape, d.out.view(), d.stats.view());
}

std::shared_ptr<Data> make(const Case& c) {
  const Index T = c.sequences * c.length, D = c.heads * c.width;
  const auto d = std::make_shared<Data>(Data{{T, D},
                                             {T, D, 2},
                                             {T, D, 3},
                                             {T, D},
                                             {T, 2 * c.heads},
                                             {T, D, 4},
                                             {T, D},
                                             {T, D},
                                             {T, D},
                                             offsets_of(T, c.length),
                                             {}});
  d->shape.query_offsets = d->shape.key_offsets = d->offsets;
  d->shape.heads = c.heads;
  d->shape.head_width = c.width;
  d->shape.scale = 1 / std::sqrt(static_cast<float>(c.width));
  d->shape.is_causal = c.is_causal;
  forward(*d);  // backward reads its results
  return d;
}

}  // namespace

void register_attention(const Machine& machine) {
  for (const Case& c : kCases) {
    const double seen = c.is_causal ? 0.5 * static_cast<double>(c.length + 1) : static_cast<double>(c.length);
    const double values = product(c.sequences, c.length, c.heads, c.width);
    const std::string mask = c.is_causal ? "_causal" : "";
    measure_with<Data>(
        name_of("attention" + mask, c.sequences, c.length, c.heads, c.width), machine,
        {4 * seen * values, 16 * values}, [c] { return make(c); }, forward);
    measure_with<Data>(
        name_of("attention_backward" + mask, c.sequences, c.length, c.heads, c.width), machine,
        {10 * seen * values, 32 * values}, [c] { return make(c); },
        [](Data& d) {
          kernels::attention_backward(d.q.view(), d.k.view(), d.v.view(), d.out.view(), d.stats.view(),
                                      d.dout.view(), d.shape, d.dq.view(), d.dk.view(), d.dv.view());
        });
  }
}

}  // namespace headwater::bench
