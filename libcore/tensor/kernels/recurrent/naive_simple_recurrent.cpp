// The naive form of the simpler simple recurrent unit, and the kernels of the double build.
#include "tensor/kernels/eigen_map.hpp"
#include "tensor/kernels/naive.hpp"

namespace headwater {

namespace naive {

using kernels::array_of;
using StateRow = Eigen::Array<double, 1, Eigen::Dynamic>;

void simple_recurrent(std::span<const Index> offsets, ConstMatrix x, ConstMatrix gate, Matrix f, Matrix c,
                      Matrix h) {
  const Index D = x.cols;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    StateRow state = StateRow::Zero(D);
    for (Index t = offsets[s]; t < offsets[s + 1]; ++t) {
      auto forget = array_of(f.row(t), D);
      forget = 1 / (1 + (-array_of(gate.row(t), D)).exp());
      state = forget * state + (1 - forget) * array_of(x.row(t), D);
      array_of(c.row(t), D) = state;
      array_of(h.row(t), D) = state.max(0);
    }
  }
}

void simple_recurrent_backward(std::span<const Index> offsets, ConstMatrix x, ConstMatrix f, ConstMatrix c,
                               ConstMatrix dh, Matrix dx, Matrix dgate) {
  const Index D = x.cols;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    StateRow dc = StateRow::Zero(D), previous(D);
    for (Index t = offsets[s + 1] - 1; t >= offsets[s]; --t) {
      const auto forget = array_of(f.row(t), D);
      // in the forward pass this was h = relu(c)
      dc += (array_of(c.row(t), D) > 0).select(array_of(dh.row(t), D), StateRow::Zero(D));
      previous.setZero();
      if (t > offsets[s]) previous = array_of(c.row(t - 1), D);
      // in the forward pass this was c = f*previous + (1 - f)*x, f = sigmoid(gate)
      array_of(dx.row(t), D) = dc * (1 - forget);
      array_of(dgate.row(t), D) = dc * (previous - array_of(x.row(t), D)) * forget * (1 - forget);
      dc *= forget;
    }
  }
}

}  // namespace naive

#ifdef HEADWATER_DOUBLE
namespace kernels {

void simple_recurrent(std::span<const Index> offsets, ConstMatrix x, ConstMatrix gate, Matrix f, Matrix c,
                      Matrix h) {
  naive::simple_recurrent(offsets, x, gate, f, c, h);
}
void simple_recurrent_step(std::span<const Index> slots, ConstMatrix x, ConstMatrix gate, Matrix f,
                           Matrix states, Matrix h) {
  const Index D = x.cols;
  for (Index b = 0; b < x.rows; ++b) {
    auto state = array_of(states.row(slots[b]), D), forget = array_of(f.row(b), D);
    forget = 1 / (1 + (-array_of(gate.row(b), D)).exp());
    state = (forget * state + (1 - forget) * array_of(x.row(b), D)).eval();
    array_of(h.row(b), D) = state.max(0);
  }
}
void simple_recurrent_backward(std::span<const Index> offsets, ConstMatrix x, ConstMatrix f, ConstMatrix c,
                               ConstMatrix dh, Matrix dx, Matrix dgate) {
  naive::simple_recurrent_backward(offsets, x, f, c, dh, dx, dgate);
}

}  // namespace kernels
#endif  // HEADWATER_DOUBLE

}  // namespace headwater
