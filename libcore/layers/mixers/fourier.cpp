// mixing: fourier. The real part of the Fourier transform over tokens and features, without parameters (FNet,
// Lee-Thorp et al. 2021).
#include <cmath>

#include "layers/mixers/mixer.hpp"

namespace headwater {

namespace {

class FourierMixer : public Mixer {
 public:
  FourierMixer(LayerBuilder& /*builder*/, const std::string& /*block*/, const MixerSettings& settings)
      : width_(settings.attention.width) {}

  MixerOutput operator()(const ForwardContext& context, const Variable& x,
                         const MixerSources& /*sources*/) const override {
    return {.hidden = ops::fourier_mix(context.tape, x)};
  }
  double flops(Index length) const override {
    const double numbers = static_cast<double>(length * width_);
    return 5 * numbers * std::log2(numbers) / 2;  // half of complex ones
  }

 private:
  Index width_;
};

}  // namespace

extern const MixerKind kFourierMixer{
    .name = "fourier",
    .meaning = "the Fourier transform, without parameters (FNet, Lee-Thorp et al. 2021)",
    .construct = construct_mixer<FourierMixer>};

}  // namespace headwater
