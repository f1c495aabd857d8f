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
  Index columns = 0;       // 0: a line
  bool is_causal = false;  // of a line: as many, but all of them up to the token itself

  Index side() const { return 2 * reach + 1; }
  Index taps() const { return columns == 0 ? side() : side() * side(); }
  Index first() const { return is_causal ? -2 * reach : -reach; }  // the first neighbour's place
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

// The last rows of sequences that are read step by step, a slot each: row p of a sequence stands at at(slot,
// p) until row p + capacity takes its place.
struct RowCache {
  Index width = 0, capacity = 0;
  Real* rows = nullptr;

  Index floats(Index slots) const { return slots * capacity * width; }
  Real* at(Index slot, Index position) const {
    return rows + (slot * capacity + position % capacity) * width;
  }
};
// Row b of x [B, D] becomes row positions[b] of slot slots[b].
void append_to_cache(const RowCache& cache, std::span<const Index> slots, std::span<const Index> positions,
                     ConstMatrix x);
// Row b of y [B, D]: of a causal neighbourhood that of the last of the lengths[b] >= 1 rows of slot slots[b];
// the bits of depthwise_convolution(). The cache holds taps() rows.
void depthwise_convolution_over_cache(const RowCache& cache, std::span<const Index> slots,
                                      std::span<const Index> lengths, ConstMatrix w, Matrix y);

}  // namespace headwater::kernels
