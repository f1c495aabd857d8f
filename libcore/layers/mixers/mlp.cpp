// mixing: mlp. Two layers over the positions of a sequence, the same for every column (MLP-Mixer, Tolstikhin
// et al. 2021; ops::mix_tokens). In a packed batch a sequence of n < N tokens uses the weights of the first n
// positions only. Missing tokens count as zero rows and cost nothing.
#include <array>

#include "layers/mixers/mixer.hpp"
#include "support/error.hpp"

namespace headwater {

namespace {

class TokenMixing : public Mixer {
 public:
  // inner.weight [N, H], inner.bias [H], outer.weight [H, N], outer.bias [N]; Glorot uniform, zero.
  TokenMixing(LayerBuilder& builder, const std::string& block, const MixerSettings& settings)
      : length_(settings.length), width_(settings.attention.width) {
    const Index N = length_, H = settings.mixing.mixing_width;
    const double n = static_cast<double>(N), h = static_cast<double>(H);
    const std::string name = block + ".token_mixing";
    Parameters& all = builder.parameters;
    layers_.inner_weight =
        all.declare(name + ".inner.weight", {N, H}, N, H, Initializer::glorot_uniform, n, h);
    layers_.inner_bias = all.declare(name + ".inner.bias", {H}, 1, H, Initializer::zeros);
    layers_.outer_weight =
        all.declare(name + ".outer.weight", {H, N}, H, N, Initializer::glorot_uniform, h, n);
    layers_.outer_bias = all.declare(name + ".outer.bias", {N}, 1, N, Initializer::zeros);
    layers_.inner_weight->panels = layers_.outer_weight->panels = WeightPanels::none;
    layers_.activation = settings.activation;
    columns_.assign(std::array{Index{0}, width_});
    layers_.columns = &columns_;
  }

  // Throws Error for a sequence of more than N tokens.
  MixerOutput operator()(const ForwardContext& context, const Variable& x,
                         const MixerSources& /*sources*/) const override {
    const std::span<const Index> offsets = x.packing().offsets;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      if (offsets[s + 1] - offsets[s] <= length_) continue;
      throw Error("token mixing: a sequence of " + std::to_string(offsets[s + 1] - offsets[s]) +
                  " tokens, more than the model's length " + std::to_string(length_));
    }
    return {.hidden = ops::mix_tokens(context.tape, x, layers_)};
  }
  double flops(Index length) const override {
    return 2 * 2 * static_cast<double>(length * layers_.inner_bias->size() * width_);
  }

 private:
  Index length_, width_;  // N, D
  ReductionTree columns_;
  ops::TokenMixer layers_;
};

constexpr MixerKey kTokenMixingKeys[] = {{.name = "mixing_width",
                                          .member = &MixingSettings::mixing_width,
                                          .meaning = "hidden layer of mixing: mlp",
                                          .max = 1'000'000,
                                          .unit = "features",
                                          .follows_feed_forward = true}};

}  // namespace

extern const MixerKind kMlpMixer{
    .name = "mlp",
    .meaning = "two layers over the positions of the tokens or patches (MLP-Mixer, Tolstikhin et al. 2021)",
    .part = "token_mixing",
    .keys = kTokenMixingKeys,
    .multiplies_columns = true,
    .construct = construct_mixer<TokenMixing>};

}  // namespace headwater
