// Convolution over the tokens of a sequence.
#pragma once

#include <string>

#include "autograd/ops.hpp"
#include "layers/builder.hpp"
#include "layers/linear.hpp"

namespace headwater {

// Depthwise separable convolution (Chollet 2017): each column over the neighbours of a token, then a dense
// layer over the columns.
class ConvolutionMixing {
 public:
  // `name`.depthwise.weight [taps, D] and .pointwise.weight [D, D], Glorot uniform, .pointwise.bias [D],
  // zero.
  ConvolutionMixing(LayerBuilder& builder, const std::string& name, const kernels::Neighborhood& neighborhood,
                    Index width);
  Variable operator()(const ForwardContext& context, const Variable& x) const;  // [T, D] -> [T, D]

  // The rows that steps of a causal one look back to, in the arena.
  kernels::RowCache new_cache(Arena& arena, Index slots) const;
  // The last token of each sequence, which the cache has already: row b is that of the lengths[b] of slot
  // slots[b]. -> [B, D], the bits of the call above.
  Variable step(const ForwardContext& context, const kernels::RowCache& cache, std::span<const Index> slots,
                std::span<const Index> lengths) const;

 private:
  kernels::Neighborhood neighborhood_;
  Parameter* depthwise_;
  Linear pointwise_;
};

}  // namespace headwater
