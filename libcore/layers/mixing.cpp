#include "layers/mixing.hpp"

namespace headwater {

ConvolutionMixing::ConvolutionMixing(LayerBuilder& builder, const std::string& name,
                                     const kernels::Neighborhood& neighborhood, Index width)
    : neighborhood_(neighborhood),
      // What a column reads and what reads it are its taps.
      depthwise_(builder.parameters.declare(name + ".depthwise.weight", {neighborhood.taps(), width},
                                            neighborhood.taps(), width, Initializer::glorot_uniform,
                                            static_cast<double>(neighborhood.taps()),
                                            static_cast<double>(neighborhood.taps()))),
      pointwise_(builder, name + ".pointwise", width, width) {
  depthwise_->panels = WeightPanels::none;
}

Variable ConvolutionMixing::operator()(const ForwardContext& context, const Variable& x) const {
  return pointwise_(context, ops::depthwise_convolution(context.tape, x, neighborhood_, *depthwise_),
                    ops::Use::donate);
}

kernels::RowCache ConvolutionMixing::new_cache(Arena& arena, Index slots) const {
  kernels::RowCache cache{.width = depthwise_->value.cols, .capacity = neighborhood_.taps()};
  cache.rows = arena.allocate_array<Real>(cache.floats(slots));
  return cache;
}

Variable ConvolutionMixing::step(const ForwardContext& context, const kernels::RowCache& cache,
                                 std::span<const Index> slots, std::span<const Index> lengths) const {
  const Variable y =
      context.tape.variable(static_cast<Index>(slots.size()), depthwise_->value.cols, nullptr, false);
  kernels::depthwise_convolution_over_cache(cache, slots, lengths, depthwise_->value, y.value());
  return pointwise_(context, y, ops::Use::donate);
}

}  // namespace headwater
