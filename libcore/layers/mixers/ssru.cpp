// mixing: ssru. The simpler simple recurrent unit (Kim et al. 2019, sec. 3.1), which Marian's students have
// in their decoders: c_t = f_t * c_{t-1} + (1 - f_t) * (x_t·W), f_t = sigmoid(x_t·W_f + b_f), y_t =
// relu(c_t). A token reads no state in its products, so those of all tokens are two matrix products.
#include <algorithm>

#include "layers/mixers/mixer.hpp"

namespace headwater {

namespace {

class Ssru : public Mixer {
 public:
  // ssru.input.weight and ssru.forget.weight [D, D], Glorot uniform; ssru.forget.bias [D], zero.
  Ssru(LayerBuilder& builder, const std::string& block, const MixerSettings& settings)
      : width_(settings.attention.width),
        input_(builder, block + ".ssru.input", {width_, width_}, {}, width_, width_,
               static_cast<double>(width_), static_cast<double>(width_)),
        forget_(builder, block + ".ssru.forget", width_, width_) {}

  MixerOutput operator()(const ForwardContext& context, const Variable& x,
                         const MixerSources& /*sources*/) const override {
    return {.hidden = run(context, x, {})};
  }
  std::unique_ptr<MixerCache> new_cache(Arena& arena, Index slots, Index /*capacity*/) const override {
    return std::make_unique<Cache>(*this, arena.matrix(slots, width_));
  }
  // Two products, and four operations for each number of the state.
  double flops(Index length) const override {
    return static_cast<double>(length * width_) * (4 * static_cast<double>(width_) + 4);
  }

 private:
  // `final` [sequences, D] receives the states after the last tokens, where given.
  Variable run(const ForwardContext& context, const Variable& x, const Matrix& final) const {
    const ops::Projected products = project(context, x, {&input_, &forget_});
    return ops::simple_recurrent(context.tape, products[0], products[1], final);
  }

  // The state after the last token.
  class Cache : public MixerCache {
   public:
    Cache(const Ssru& mixer, const Matrix& states) : mixer_(mixer), states_(states) {
      kernels::fill(states, 0);
    }

    Variable read(const ForwardContext& context, const Variable& x, const MixerSources& /*sources*/,
                  const CacheRows& rows) override {
      const std::span<const Index> offsets = x.packing().offsets;
      const Matrix final = context.tape.arena().matrix(x.packing().sequences(), states_.cols);
      const Variable y = mixer_.run(context, x, final);
      for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
        if (offsets[s] == offsets[s + 1]) continue;
        const Index slot = rows.slots[offsets[s]];
        std::copy_n(final.row(static_cast<Index>(s)), states_.cols, states_.row(slot));
      }
      return y;
    }
    Variable step(const ForwardContext& context, const Variable& x, const CachedStep& at) override {
      const ops::Projected products = project(context, x, {&mixer_.input_, &mixer_.forget_});
      const Variable y = context.tape.variable(x.rows(), x.cols(), x.packing_or_null(), false);
      const Matrix gate = products[1].value();
      kernels::simple_recurrent_step(at.self.slots, products[0].value(), gate, gate, states_, y.value());
      return y;
    }
    void copy_slot(Index from, Index to, Index /*length*/) override {
      std::copy_n(states_.row(from), states_.cols, states_.row(to));
    }

   private:
    const Ssru& mixer_;
    Matrix states_;  // a row a slot
  };

  Index width_;  // D
  Linear input_, forget_;
};

}  // namespace

extern const MixerKind kSsruMixer{
    .name = "ssru",
    .meaning =
        "of decoders and language models: a state that a gate moves towards each token, the simpler simple "
        "recurrent unit (SSRU, Kim et al. 2019); an encoder before such a decoder has attention",
    .part = "ssru",
    .encodes_texts = false,
    .encodes_images = false,
    .takes_steps = true,
    .construct = construct_mixer<Ssru>};

}  // namespace headwater
