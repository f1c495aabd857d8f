#include "autograd/ops.hpp"

namespace headwater::ops {

namespace {

void record_layer_norm(Tape& tape, const Variable& x, const Variable& y, const Matrix& moments,
                       Parameter& gamma, Parameter& beta) {
  tape.record("layer_norm", y, [=, &tape, &gamma, &beta](ConstMatrix dy) {
    const GradientSlot dx = tape.slot(x);
    const Tape::PairSlot d = Tape::slot(gamma, &beta);
    kernels::layer_norm_backward(x.value(), moments, gamma.value.data, dy, *x.packing().plan, dx.matrix,
                                 dx.accumulate, d.weight.data, d.bias, d.accumulate);
  });
}

}  // namespace

Variable layer_norm(Tape& tape, const Variable& x, Parameter& gamma, Parameter& beta, Real epsilon) {
  const Variable y = tape.variable(x.rows(), x.cols(), x.packing_or_null(), true);
  const Matrix moments = tape.arena().matrix(x.rows(), 2);
  kernels::layer_norm(x.value(), {}, gamma.value.data, beta.value.data, epsilon, {}, y.value(), moments);
  record_layer_norm(tape, x, y, moments, gamma, beta);
  return y;
}

// Two operations, a sum and its norm, that one kernel computes.
Variable add_layer_norm(Tape& tape, const Variable& x, const Variable& z, Parameter& gamma, Parameter& beta,
                        Real epsilon, Use use_of_z) {
  const Variable y = tape.variable(x.rows(), x.cols(), x.packing_or_null(), true);
  const Matrix moments = tape.arena().matrix(x.rows(), 2);
  const Variable sum = tape.variable_like(z, use_of_z, true);
  kernels::layer_norm(x.value(), z.value(), gamma.value.data, beta.value.data, epsilon, sum.value(),
                      y.value(), moments);
  tape.record("add_layer_norm", sum,
              [&tape, x, z, use_of_z](Matrix dsum) { tape.accumulate(x, z, use_of_z, dsum); });
  record_layer_norm(tape, sum, y, moments, gamma, beta);
  return y;
}

}  // namespace headwater::ops
