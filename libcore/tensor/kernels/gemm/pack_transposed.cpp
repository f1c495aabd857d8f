// A weight that is stored the other way round, packed for products of few rows.
#include <algorithm>
#include <array>

#include "support/parallel.hpp"
#include "tensor/kernels/gemm/gemm.hpp"

namespace headwater::kernels {

PackedWeight pack_weight_transposed(ConstMatrix w, Real* to, std::span<const std::int32_t> rows) {
  const Index outputs = rows.empty() ? w.rows : std::ssize(rows), inputs = w.cols,
              panels = (outputs + 15) / 16;
  constexpr Index kTaskPanels = 16;
  parallel_for((panels + kTaskPanels - 1) / kTaskPanels, [&](Index task) {
    const Index last = std::min(panels, (task + 1) * kTaskPanels);
    for (Index panel = task * kTaskPanels; panel < last; ++panel) {
      Real* const values = to + panel * 16 * inputs;
      const Index lanes = std::min<Index>(16, outputs - panel * 16);
      if (lanes < 16) std::fill_n(values, 16 * inputs, Real(0));
      std::array<const Real*, 16> from{};
      for (Index lane = 0; lane < lanes; ++lane) {
        const Index output = panel * 16 + lane;
        from[lane] = w.row(rows.empty() ? output : Index{rows[output]});
      }
      for (Index i = 0; i < inputs; ++i) {
        for (Index lane = 0; lane < lanes; ++lane) values[i * 16 + lane] = from[lane][i];
      }
    }
  });
  return {to, inputs, outputs};
}

}  // namespace headwater::kernels
