#include "autograd/ops.hpp"

namespace headwater::ops {

Variable layer_norm(Tape& tape, const Variable& x, Parameter& gamma, Parameter& beta, Real epsilon) {
  const Variable y = tape.variable(x.rows(), x.cols(), x.packing_or_null(), true);
  Tape::mark_donated(y);
  const Matrix moments = tape.arena().matrix(x.rows(), 2);
  kernels::layer_norm(x.value(), {}, gamma.value.data, beta.value.data, epsilon, {}, y.value(), moments);
  tape.record("layer_norm", [&tape, x, y, moments, scale = &gamma, shift = &beta] {
    if (!Tape::has_incoming(y)) return;
    const GradientSlot dx = tape.slot(x);
    const Tape::PairSlot d = Tape::slot(*scale, shift);
    kernels::layer_norm_backward(x.value(), moments, scale->value.data, tape.incoming(y), *x.packing().plan,
                                 dx.matrix, dx.accumulate, d.weight.data, d.bias, d.accumulate);
  });
  return y;
}

Variable add_layer_norm(Tape& tape, const Variable& x, const Variable& z, Parameter& gamma, Parameter& beta,
                        Real epsilon, Use use_of_z) {
  const Variable y = tape.variable(x.rows(), x.cols(), x.packing_or_null(), true);
  Tape::mark_donated(y);
  const Matrix moments = tape.arena().matrix(x.rows(), 2);
  const Matrix sum = tape.memory_like(z, use_of_z);
  kernels::layer_norm(x.value(), z.value(), gamma.value.data, beta.value.data, epsilon, sum, y.value(),
                      moments);
  tape.record("add_layer_norm", [&tape, x, z, y, moments, sum, use_of_z, scale = &gamma, shift = &beta] {
    if (!Tape::has_incoming(y)) return;
    const Tape::PairSlot d = Tape::slot(*scale, shift);
    // d(x + z) goes to both: shared, or computed where it overwrites and added or copied to the other.
    const bool is_shared = Tape::share_gradient(x, z, use_of_z);
    const GradientSlot dx = is_shared ? GradientSlot{} : tape.slot(x), dz = tape.slot(z);
    const Matrix dsum = dz.accumulate ? tape.temporary(x.rows(), x.cols()) : dz.matrix;
    kernels::layer_norm_backward(sum, moments, scale->value.data, tape.incoming(y), *x.packing().plan, dsum,
                                 false, d.weight.data, d.bias, d.accumulate);
    if (is_shared) return;
    // x first: it may be z itself, whose gradient then begins here.
    if (dx.accumulate) {
      kernels::accumulate(dsum, dx.matrix);
    } else {
      kernels::copy(dsum, dx.matrix);
    }
    if (dz.accumulate) kernels::accumulate(dsum, dz.matrix);
  });
  return y;
}

}  // namespace headwater::ops
