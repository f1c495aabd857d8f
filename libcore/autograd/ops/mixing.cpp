#include <algorithm>

#include "autograd/ops.hpp"

namespace headwater::ops {

namespace {

// The gradients of the four parameters, one after the other: of the inner and the outer layer.
struct Gradients {
  Matrix all;  // one row
  Index N, H;
  Matrix inner_weight() const { return {all.data, N, H}; }
  Matrix outer_weight() const { return {all.data + N * H, H, N}; }
  Real* inner_bias() const { return all.data + 2 * N * H; }
  Real* outer_bias() const { return inner_bias() + H; }
};
Gradients make_gradients(Arena& arena, Index N, Index H) {
  const Gradients made{arena.matrix(1, 2 * N * H + H + N), N, H};
  kernels::fill(made.all, 0);
  return made;
}

void put(ConstMatrix sum, const Tape::PairSlot& slot, const Real* bias_sum, Index biases) {
  GradientSlot{slot.weight, slot.accumulate}.put(sum);
  GradientSlot{Matrix(slot.bias, 1, biases), slot.accumulate}.put(ConstMatrix(bias_sum, 1, biases));
}

struct Mixing {
  TokenMixer mixer;
  std::span<const Index> offsets;
  Index D, N, H;
  Matrix transposed;     // [D, n] of each sequence, one after the other
  Matrix hidden, slope;  // [sequences·D, H]; slope where the activation keeps it

  Index sequences() const { return static_cast<Index>(offsets.size()) - 1; }
  Index begin(Index s) const { return offsets[s]; }
  Index length(Index s) const { return offsets[s + 1] - begin(s); }
  Index longest() const {
    Index most = 0;
    for (Index s = 0; s < sequences(); ++s) most = std::max(most, length(s));
    return most;
  }
  Matrix transposed_of(Index s) const { return {transposed.data + begin(s) * D, D, length(s)}; }
  Matrix hidden_of(const Matrix& all, Index s) const {
    return all ? all.rows_between(s * D, (s + 1) * D) : Matrix();
  }
  Matrix inner_weight_of(Index s) const { return mixer.inner_weight->value.rows_between(0, length(s)); }
  Matrix outer_weight_of(Index s) const { return mixer.outer_weight->value.columns_between(0, length(s)); }

  // yt [D, n] is scratch.
  void forward(Index s, ConstMatrix x, const Matrix& yt, const Matrix& y) const {
    const Matrix xt = transposed_of(s), u = hidden_of(hidden, s);
    kernels::transpose(x.rows_between(begin(s), begin(s) + length(s)), xt);
    kernels::linear(xt, inner_weight_of(s), mixer.inner_bias->value.data, mixer.activation, u,
                    hidden_of(slope, s));
    kernels::linear(u, outer_weight_of(s), mixer.outer_bias->value.data, Activation::none, yt);
    kernels::transpose(yt, y.rows_between(begin(s), begin(s) + length(s)));
  }

  // Adds the gradients of the parameters to `to`. dt [D, n] and du [D, H] are scratch.
  void backward(Index s, ConstMatrix dy, const Matrix& dt, const Matrix& du, const Gradients& to,
                const Matrix& dx) const {
    const Index end = begin(s) + length(s);
    const Matrix u = hidden_of(hidden, s);
    kernels::transpose(dy.rows_between(begin(s), end), dt);
    kernels::linear_backward_weight(u, dt, *mixer.columns, to.outer_weight().columns_between(0, length(s)),
                                    to.outer_bias(), true);
    kernels::linear_backward_input(dt, outer_weight_of(s), du, false);
    if (mixer.activation != Activation::none)
      kernels::activation_backward(mixer.activation, slope ? hidden_of(slope, s) : u, du, du);
    kernels::linear_backward_weight(transposed_of(s), du, *mixer.columns,
                                    to.inner_weight().rows_between(0, length(s)), to.inner_bias(), true);
    kernels::linear_backward_input(du, inner_weight_of(s), dt, false);
    kernels::transpose(dt, dx.rows_between(begin(s), end));
  }

  void backward(Arena& arena, const BatchPart& part, ConstMatrix dy, const Matrix& dx) const {
    const ArenaScope scope(arena);
    Gradients shards[kShards];
    const Matrix du = arena.matrix(D, H);
    Real* const memory = arena.allocate_array<Real>(D * longest());
    for (Index shard = 0; shard < part.shards(); ++shard) {
      shards[shard] = make_gradients(arena, N, H);
      for (Index s = part.shard_begin(shard); s < part.shard_begin(shard + 1); ++s) {
        if (length(s) > 0) backward(s, dy, Matrix(memory, D, length(s)), du, shards[shard], dx);
      }
    }
    // A shard without sequences is added as 0, which changes no bit: these sums begin with +0 and are never
    // -0.
    for (Index step = 1; step < part.shards(); step *= 2) {
      for (Index shard = 0; shard < part.shards(); shard += 2 * step)
        kernels::accumulate(shards[shard + step].all, shards[shard].all);
    }
    const Gradients& sum = shards[0];
    put(sum.inner_weight(), Tape::slot(*mixer.inner_weight, mixer.inner_bias), sum.inner_bias(), H);
    put(sum.outer_weight(), Tape::slot(*mixer.outer_weight, mixer.outer_bias), sum.outer_bias(), N);
  }
};

}  // namespace

Variable mix_tokens(Tape& tape, const Variable& x, const TokenMixer& mixer) {
  Arena& arena = tape.arena();
  const Index N = mixer.inner_weight->value.rows, H = mixer.inner_weight->value.cols, D = x.cols();
  const Variable y = tape.variable(x.rows(), D, x.packing_or_null(), true);
  Mixing mixing{mixer, x.packing().offsets, D, N, H, arena.matrix(x.rows(), D), {}, {}};
  mixing.hidden = arena.matrix(mixing.sequences() * D, H);
  if (tape.is_recording() && kernels::keeps_slope(mixer.activation))
    mixing.slope = arena.matrix(mixing.sequences() * D, H);
  {
    const ArenaScope scope(arena);
    Real* const memory = arena.allocate_array<Real>(D * mixing.longest());
    for (Index s = 0; s < mixing.sequences(); ++s) {
      if (mixing.length(s) > 0) mixing.forward(s, x.value(), Matrix(memory, D, mixing.length(s)), y.value());
    }
  }
  tape.record("mix_tokens", y, [&tape, mixing, x](ConstMatrix dy) {
    mixing.backward(tape.arena(), x.packing().plan->part, dy, tape.overwritten(x));
  });
  return y;
}

Variable fourier_mix(Tape& tape, const Variable& x) {
  const std::span<const Index> offsets = x.packing().offsets;
  const Variable y = tape.variable(x.rows(), x.cols(), x.packing_or_null(), x.needs_gradient());
  kernels::fourier_mix(x.value(), offsets, y.value(), false);
  tape.record("fourier_mix", y, [&tape, x, offsets](ConstMatrix dy) {
    // The transform is symmetric: dx = Re(F_n dy F_D).
    const GradientSlot dx = tape.slot(x);
    kernels::fourier_mix(dy, offsets, dx.matrix, dx.accumulate);
  });
  return y;
}

Variable depthwise_convolution(Tape& tape, const Variable& x, const kernels::Neighborhood& neighborhood,
                               Parameter& w) {
  const std::span<const Index> offsets = x.packing().offsets;
  const Variable y = tape.variable(x.rows(), x.cols(), x.packing_or_null(), true);
  kernels::depthwise_convolution(kernels::Convolution::forward, x.value(), offsets, neighborhood, w.value,
                                 y.value(), false);
  tape.record("depthwise_convolution", y, [=, &tape, &w](ConstMatrix dy) {
    const Tape::PairSlot dw = Tape::slot(w, nullptr);
    kernels::depthwise_convolution_weights(x.value(), offsets, neighborhood, dy, *x.packing().plan, dw.weight,
                                           dw.accumulate);
    if (!x.needs_gradient()) return;
    const GradientSlot dx = tape.slot(x);
    kernels::depthwise_convolution(kernels::Convolution::backward, dy, offsets, neighborhood, w.value,
                                   dx.matrix, dx.accumulate);
  });
  return y;
}

}  // namespace headwater::ops
