// Plain arithmetic, which needs no form of its own for doubles.
#include "tensor/kernels/rotary/rotary.hpp"

#include "tensor/kernels/row_blocks.hpp"

namespace headwater::kernels {

void rotate(ConstMatrix x, std::span<const Index> position_of, ConstMatrix table, Turn turn, Matrix y,
            bool accumulate) {
  const Index half = table.cols / 2, heads = x.cols / table.cols;
  const Real sign = turn == Turn::forth ? Real(1) : Real(-1);
  for_each_row_block(x.rows, x.cols, [&](Index begin, Index end) {
    for (Index t = begin; t < end; ++t) {
      const Real* const cosines = table.row(position_of[static_cast<std::size_t>(t)]);
      const Real* const sines = cosines + half;
      for (Index head = 0; head < heads; ++head) {
        const Real* const from = x.row(t) + head * table.cols;
        Real* const to = y.row(t) + head * table.cols;
        for (Index i = 0; i < half; ++i) {
          const Real c = cosines[i], s = sign * sines[i], a = from[i], b = from[i + half];
          const Real first = a * c - b * s, second = b * c + a * s;
          to[i] = accumulate ? to[i] + first : first;
          to[i + half] = accumulate ? to[i + half] + second : second;
        }
      }
    }
  });
}

}  // namespace headwater::kernels
