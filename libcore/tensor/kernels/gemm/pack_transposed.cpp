// A weight that is stored the other way round, packed for products of few rows.
#include <algorithm>

#include "support/parallel.hpp"
#include "tensor/kernels/gemm/gemm.hpp"

namespace headwater::kernels {

PackedWeight pack_weight_transposed(ConstMatrix w, Real* to) {
  const Index outputs = w.rows, inputs = w.cols, panels = (outputs + 15) / 16;
  constexpr Index kTaskPanels = 16;
  parallel_for((panels + kTaskPanels - 1) / kTaskPanels, [&](Index task) {
    const Index last = std::min(panels, (task + 1) * kTaskPanels);
    for (Index panel = task * kTaskPanels; panel < last; ++panel) {
      Real* const values = to + panel * 16 * inputs;
      const Index lanes = std::min<Index>(16, outputs - panel * 16);
      if (lanes < 16) std::fill_n(values, 16 * inputs, Real(0));
      for (Index i = 0; i < inputs; ++i) {
        for (Index lane = 0; lane < lanes; ++lane) values[i * 16 + lane] = w.row(panel * 16 + lane)[i];
      }
    }
  });
  return {to, inputs, outputs};
}

}  // namespace headwater::kernels
