// Depthwise convolution: each column of a sequence by itself, over the neighbours of each token.
#pragma once

#include <span>

#include "tensor/matrix.hpp"
#include "tensor/reduction_tree.hpp"

namespace headwater::kernels {

// Which tokens are neighbours: those up to `reach` before and after; or where a sequence is the patches of an
// image, row after row with so many columns, those of the square of `reach` patches around each.
struct Neighborhood {
  Index reach = 1;
  Index columns = 0;  // 0: a line

  Index side() const { return 2 * reach + 1; }
  Index taps() const { return columns == 0 ? side() : side() * side(); }
};

enum class Convolution { forward, backward };

// y[t] (+)= Σ of w[i] * x[neighbour i of t] over the neighbours in the sequence that there are, from the
// first to the last, row after row: x, y [T, D], w [taps, D], `offsets` as of a packing. Each product and
// each sum is rounded. backward: neighbour i is the one opposite to it, which makes dx of dy. Throws Error
// for a sequence that is no whole number of rows.
void depthwise_convolution(Convolution direction, ConstMatrix x, std::span<const Index> offsets,
                           const Neighborhood& neighborhood, ConstMatrix w, Matrix y, bool accumulate);
// dw[i] (+)= Σ_t dy[t] * x[neighbour i of t], chains and their tree as of the plan.
void depthwise_convolution_weights(ConstMatrix x, std::span<const Index> offsets,
                                   const Neighborhood& neighborhood, ConstMatrix dy,
                                   const ReductionTree& plan, Matrix dw, bool accumulate);

}  // namespace headwater::kernels
