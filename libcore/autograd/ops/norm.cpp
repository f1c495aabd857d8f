#include "autograd/ops.hpp"

namespace headwater::ops {

namespace {

kernels::NormRule rule_of(const Norm& norm) {
  return {norm.gamma->value.data, norm.beta ? norm.beta->value.data : nullptr, norm.epsilon, norm.is_centred};
}

void record_norm(Tape& tape, const Variable& x, const Variable& y, const Matrix& moments, const Norm& of) {
  tape.record("norm", y, [=, &tape](ConstMatrix dy) {
    const GradientSlot dx = tape.slot(x);
    const Tape::PairSlot d = Tape::slot(*of.gamma, of.beta);
    kernels::norm_backward(x.value(), moments, rule_of(of), dy, *x.packing().plan, dx.matrix, dx.accumulate,
                           {d.weight.data, d.bias, d.accumulate});
  });
}

}  // namespace

Variable norm(Tape& tape, const Variable& x, const Norm& of) {
  const Variable y = tape.variable(x.rows(), x.cols(), x.packing_or_null(), true);
  const Matrix moments = tape.arena().matrix(x.rows(), 2);
  kernels::norm(x.value(), {}, rule_of(of), {}, y.value(), moments);
  record_norm(tape, x, y, moments, of);
  return y;
}

// Two operations, a sum and its norm, that one kernel computes.
Variable add_norm(Tape& tape, const Variable& x, const Variable& z, const Norm& of, Use use_of_z) {
  const Variable y = tape.variable(x.rows(), x.cols(), x.packing_or_null(), true);
  const Matrix moments = tape.arena().matrix(x.rows(), 2);
  const Variable sum = tape.variable_like(z, use_of_z, true);
  kernels::norm(x.value(), z.value(), rule_of(of), sum.value(), y.value(), moments);
  tape.record("add_norm", sum,
              [&tape, x, z, use_of_z](Matrix dsum) { tape.accumulate(x, z, use_of_z, dsum); });
  record_norm(tape, sum, y, moments, of);
  return y;
}

}  // namespace headwater::ops
