// The double build's kernels.
#ifdef HEADWATER_DOUBLE

#include "tensor/kernels/loss/naive_loss.hpp"

namespace headwater::kernels {

void softmax(ConstMatrix x, Matrix y) { naive::softmax<Real>(x, y); }
void softmax_backward(ConstMatrix y, ConstMatrix dy, Matrix dx, bool accumulate) {
  naive::softmax_backward<Real>(y, dy, dx, accumulate);
}
void log_sum_exp(ConstMatrix x, Real* y) { naive::log_sum_exp<Real>(x, y); }

Index cross_entropy_block_rows(const FoldPlan&) { return 0; }
Index cross_entropy_scratch_rows(const FoldPlan&) { return 0; }
CrossEntropyTotals linear_cross_entropy(ConstMatrix h, ConstMatrix w, bool is_transposed, const Real* bias,
                                        std::span<const std::int32_t> labels, Real label_smoothing,
                                        Real loss_scale, const FoldPlan&, Matrix,
                                        CrossEntropyGradients* gradients) {
  if (gradients == nullptr) {
    return naive::linear_cross_entropy<Real>(h, w, is_transposed, bias, labels, label_smoothing, loss_scale,
                                             nullptr);
  }
  const naive::CrossEntropyGradients<Real> wanted{gradients->dh, gradients->dw, gradients->db,
                                                  gradients->accumulate_parameters};
  return naive::linear_cross_entropy<Real>(h, w, is_transposed, bias, labels, label_smoothing, loss_scale,
                                           &wanted);
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
