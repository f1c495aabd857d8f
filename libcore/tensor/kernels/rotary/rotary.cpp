// Plain arithmetic, which needs no form of its own for doubles.
#include "tensor/kernels/rotary/rotary.hpp"

#include <type_traits>

#include "tensor/kernels/row_blocks.hpp"

namespace headwater::kernels {

namespace {

constexpr Index kBlock = 16;

struct Head {
  const Real* cosines;
  const Real* sines;
  Real sign;
  const Real* from;
  Real* to;
  Index half;
  bool accumulate;
};

// The pairs from `begin` on, `count` <= kBlock of them: all are read before any is written, so that the
// compiler makes vectors of a known number of them.
template <class Count>
void turn_pairs(const Head& head, Index begin, Count count) {
  Real first[kBlock], second[kBlock];
  const Real* const from = head.from + begin;
  for (Index i = 0; i < count; ++i) {
    const Real c = head.cosines[begin + i], s = head.sign * head.sines[begin + i];
    const Real a = from[i], b = from[i + head.half];
    first[i] = a * c - b * s;
    second[i] = b * c + a * s;
  }
  Real* const to = head.to + begin;
  for (Index i = 0; i < count; ++i) {
    to[i] = head.accumulate ? to[i] + first[i] : first[i];
    to[i + head.half] = head.accumulate ? to[i + head.half] + second[i] : second[i];
  }
}

}  // namespace

void rotate(ConstMatrix x, std::span<const Index> position_of, ConstMatrix table, Turn turn, Matrix y,
            bool accumulate) {
  const Index half = table.cols / 2, heads = x.cols / table.cols;
  const Real sign = turn == Turn::forth ? Real(1) : Real(-1);
  for_each_row_block(x.rows, x.cols, [&](Index begin, Index end) {
    for (Index t = begin; t < end; ++t) {
      const Real* const cosines = table.row(position_of[t]);
      for (Index head = 0; head < heads; ++head) {
        const Head of{
            cosines, cosines + half, sign, x.row(t) + head * table.cols, y.row(t) + head * table.cols,
            half,    accumulate};
        Index i = 0;
        for (; i + kBlock <= half; i += kBlock) turn_pairs(of, i, std::integral_constant<Index, kBlock>());
        if (i < half) turn_pairs(of, i, half - i);
      }
    }
  });
}

}  // namespace headwater::kernels
