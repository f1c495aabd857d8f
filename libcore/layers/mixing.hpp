// What mixes the tokens of a sequence in a block: attention (layers/attention.hpp), a recurrent layer
// (layers/recurrent.hpp), or one of these in their place.
#pragma once

#include <string>

#include "autograd/ops.hpp"
#include "layers/builder.hpp"
#include "layers/linear.hpp"

namespace headwater {

// attention: Vaswani et al. 2017; averaged_attention: AveragedAttention (layers/averaged_attention.hpp);
// fourier: ops::fourier_mix, no parameters (FNet, Lee-Thorp et al. 2021); mlp: TokenMixing (MLP-Mixer,
// Tolstikhin et al. 2021); convolution: ConvolutionMixing; recurrent: RecurrentMixing, which is all of its
// block.
enum class Mixing { attention, averaged_attention, fourier, mlp, convolution, recurrent };

struct TokenMixingSettings {
  Index length = 0;        // N: the longest sequence; fixed, as the weights have a row for each position
  Index hidden_width = 0;  // H
  Index width = 0;         // D
  ops::Activation activation = ops::Activation::gelu;
};

// Two layers over the positions of a sequence, the same for every column (ops::mix_tokens). In a packed batch
// a sequence of n < N tokens uses the first n positions' weights only: its missing tokens count as zero rows
// and cost nothing.
class TokenMixing {
 public:
  // `name`.inner.weight [N, H], .inner.bias [H], .outer.weight [H, N], .outer.bias [N]; Glorot uniform, zero.
  TokenMixing(LayerBuilder& builder, const std::string& name, const TokenMixingSettings& settings);

  // x [T, D] -> [T, D]. Throws Error for a sequence of more than N tokens.
  Variable operator()(const ForwardContext& context, const Variable& x) const;

 private:
  TokenMixingSettings settings_;
  ReductionTree columns_;
  ops::TokenMixer mixer_;
};

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
