// mixing: convolution. A depthwise separable convolution (Chollet 2017): each column over the neighbours of a
// token, then a dense layer over the columns. A causal one reads the token and those before it.
#include <algorithm>

#include "layers/mixers/mixer.hpp"

namespace headwater {

namespace {

class ConvolutionMixing : public Mixer {
 public:
  // depthwise.weight [taps, D] and pointwise.weight [D, D], Glorot uniform, pointwise.bias [D], zero.
  ConvolutionMixing(LayerBuilder& builder, const std::string& block, const MixerSettings& settings)
      : neighborhood_{.reach = settings.mixing.kernel_size / 2,
                      .columns = settings.columns,
                      .is_causal = settings.causality == Causality::causal},
        width_(settings.attention.width),
        // What a column reads and what reads it are its taps.
        depthwise_(builder.parameters.declare(
            block + ".convolution.depthwise.weight", {neighborhood_.taps(), width_}, neighborhood_.taps(),
            width_, Initializer::glorot_uniform, static_cast<double>(neighborhood_.taps()),
            static_cast<double>(neighborhood_.taps()))),
        pointwise_(builder, block + ".convolution.pointwise", width_, width_) {
    depthwise_->panels = WeightPanels::none;
  }

  MixerOutput operator()(const ForwardContext& context, const Variable& x,
                         const MixerSources& /*sources*/) const override {
    const Variable y = ops::depthwise_convolution(context.tape, x, neighborhood_, *depthwise_);
    return {.hidden = pointwise_(context, y, ops::Use::donate)};
  }
  std::unique_ptr<MixerCache> new_cache(Arena& arena, Index slots, Index /*capacity*/) const override {
    kernels::RowCache cache{.width = width_, .capacity = neighborhood_.taps()};
    cache.rows = arena.allocate_array<Real>(cache.floats(slots));
    return std::make_unique<Cache>(*this, cache);
  }
  double flops(Index length) const override {
    return 2 * static_cast<double>(length * width_ * (neighborhood_.taps() + width_));
  }

 private:
  // The tokens that steps look back to.
  class Cache : public MixerCache {
   public:
    Cache(const ConvolutionMixing& mixer, const kernels::RowCache& cache) : mixer_(mixer), cache_(cache) {}

    Variable read(const ForwardContext& context, const Variable& x, const MixerSources& sources,
                  const CacheRows& rows) override {
      kernels::append_to_cache(cache_, rows.slots, rows.positions, x.value());
      return mixer_(context, x, sources).hidden;
    }
    Variable step(const ForwardContext& context, const Variable& x, const CachedStep& at) override {
      kernels::append_to_cache(cache_, at.self.slots, at.positions, x.value());
      const Variable y = context.tape.variable(x.rows(), x.cols(), nullptr, false);
      kernels::depthwise_convolution_over_cache(cache_, at.self.slots, at.self.lengths,
                                                mixer_.depthwise_->value, y.value());
      return mixer_.pointwise_(context, y, ops::Use::donate);
    }
    void copy_slot(Index from, Index to, Index /*length*/) override {
      std::copy_n(cache_.at(from, 0), cache_.floats(1), cache_.at(to, 0));
    }

   private:
    const ConvolutionMixing& mixer_;
    kernels::RowCache cache_;
  };

  kernels::Neighborhood neighborhood_;
  Index width_;  // D
  Parameter* depthwise_;
  Linear pointwise_;
};

constexpr MixerKey kConvolutionKeys[] = {
    {.name = "kernel_size",
     .member = &MixingSettings::kernel_size,
     .meaning =
         "of mixing: convolution: an odd number of neighbouring tokens that it sees, of images the side of a "
         "square of patches",
     .min = 1,
     .max = 255,
     .unit = "tokens",
     .fault = [](const MixingSettings& settings) -> std::string {
       if (settings.kernel_size % 2 != 0) return {};
       return "an even kernel has no middle (write " + std::to_string(settings.kernel_size + 1) + ")";
     }}};

}  // namespace

extern const MixerKind kConvolutionMixer{
    .name = "convolution",
    .meaning =
        "a depthwise separable convolution over the neighbours of a token or patch, in decoders over those "
        "before it (Chollet 2017)",
    .part = "convolution",
    .keys = kConvolutionKeys,
    .takes_steps = true,
    .needs_patches_alone = true,
    .construct = construct_mixer<ConvolutionMixing>};

}  // namespace headwater
