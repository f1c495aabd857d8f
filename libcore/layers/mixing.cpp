#include "layers/mixing.hpp"

#include <array>

#include "support/error.hpp"

namespace headwater {

TokenMixing::TokenMixing(LayerBuilder& builder, const std::string& name, const TokenMixingSettings& settings)
    : settings_(settings) {
  const Index N = settings.length, H = settings.hidden_width;
  const double n = static_cast<double>(N), h = static_cast<double>(H);
  Parameters& all = builder.parameters;
  mixer_.inner_weight = all.declare(name + ".inner.weight", {N, H}, N, H, Initializer::glorot_uniform, n, h);
  mixer_.inner_bias = all.declare(name + ".inner.bias", {H}, 1, H, Initializer::zeros);
  mixer_.outer_weight = all.declare(name + ".outer.weight", {H, N}, H, N, Initializer::glorot_uniform, h, n);
  mixer_.outer_bias = all.declare(name + ".outer.bias", {N}, 1, N, Initializer::zeros);
  mixer_.inner_weight->panels = mixer_.outer_weight->panels = WeightPanels::none;
  mixer_.activation = settings.activation;
  columns_.assign(std::array{Index{0}, settings.width});
}

Variable TokenMixing::operator()(const ForwardContext& context, const Variable& x) const {
  const std::span<const Index> offsets = x.packing().offsets;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    if (offsets[s + 1] - offsets[s] <= settings_.length) continue;
    throw Error("token mixing: a sequence of " + std::to_string(offsets[s + 1] - offsets[s]) +
                " tokens, more than the model's length " + std::to_string(settings_.length));
  }
  ops::TokenMixer mixer = mixer_;
  mixer.columns = &columns_;
  return ops::mix_tokens(context.tape, x, mixer);
}

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
