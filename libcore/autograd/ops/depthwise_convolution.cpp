#include "autograd/ops.hpp"

namespace headwater::ops {

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
