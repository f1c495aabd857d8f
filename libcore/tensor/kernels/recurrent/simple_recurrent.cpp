// A task a sequence.
#ifndef HEADWATER_DOUBLE

#include "tensor/kernels/recurrent/simple_recurrent.hpp"

#include <algorithm>

#include "support/parallel.hpp"
#include "tensor/kernels/kernel_table.hpp"
#include "tensor/kernels/scratch.hpp"

namespace headwater::kernels {

namespace {

// f(s) for each sequence.
template <class F>
void run_sequences(std::span<const Index> offsets, const F& f) {
  parallel_for(static_cast<Index>(offsets.size()) - 1, [&](Index s) { f(static_cast<std::size_t>(s)); });
}

}  // namespace

void simple_recurrent(std::span<const Index> offsets, ConstMatrix x, ConstMatrix gate, Matrix f, Matrix c,
                      Matrix h) {
  const RecurrentTable& table = *kernel_table().recurrent;
  run_sequences(offsets, [&](std::size_t s) {
    for (Index t = offsets[s]; t < offsets[s + 1]; ++t) {
      table.ssru(x.cols, {.x = x.row(t),
                          .gate = gate.row(t),
                          .previous = t > offsets[s] ? c.row(t - 1) : nullptr,
                          .f = f.row(t),
                          .c = c.row(t),
                          .h = h.row(t)});
    }
  });
}

void simple_recurrent_step(std::span<const Index> slots, ConstMatrix x, ConstMatrix gate, Matrix f,
                           Matrix states, Matrix h) {
  const RecurrentTable& table = *kernel_table().recurrent;
  for (Index b = 0; b < x.rows; ++b) {
    float* const state = states.row(slots[b]);
    table.ssru(
        x.cols,
        {.x = x.row(b), .gate = gate.row(b), .previous = state, .f = f.row(b), .c = state, .h = h.row(b)});
  }
}

void simple_recurrent_backward(std::span<const Index> offsets, ConstMatrix x, ConstMatrix f, ConstMatrix c,
                               ConstMatrix dh, Matrix dx, Matrix dgate) {
  const RecurrentTable& table = *kernel_table().recurrent;
  run_sequences(offsets, [&](std::size_t s) {
    float* const past = thread_scratch(x.cols);
    std::fill_n(past, x.cols, 0.0f);
    for (Index t = offsets[s + 1] - 1; t >= offsets[s]; --t) {
      table.ssru_backward(x.cols, {.x = x.row(t),
                                   .f = f.row(t),
                                   .previous = t > offsets[s] ? c.row(t - 1) : nullptr,
                                   .c = c.row(t),
                                   .dh = dh.row(t),
                                   .dc = past,
                                   .dx = dx.row(t),
                                   .dgate = dgate.row(t)});
    }
  });
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
