// What a block has beside its mixer: norms, residual sums and the feed-forward.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "layers/dropout.hpp"
#include "layers/linear.hpp"
#include "layers/mixers/mixer.hpp"

namespace headwater {

enum class NormPlacement { post, pre };
enum class NormType { layer_norm, rms_norm };
enum class FeedForwardType { plain, gated };

// The keys of a recipe that are passed to the blocks as they are.
struct SubLayerSettings {
  NormPlacement norm = NormPlacement::post;
  double norm_epsilon = 1e-3;
  NormType norm_type = NormType::layer_norm;
  FeedForwardType feed_forward = FeedForwardType::plain;

  bool is_pre_norm() const { return norm == NormPlacement::pre; }
  bool is_rms_norm() const { return norm_type == NormType::rms_norm; }
  bool is_gated() const { return feed_forward == FeedForwardType::gated; }
};

struct BlockSettings : MixerSettings, SubLayerSettings {
  Index feed_forward_width = 0;        // F
  bool has_second_activation = false;  // the outer layer of the feed-forward ends with it, too
  bool has_final_norm = true;          // pre: one more after the last block of a stack
  double dropout = 0;                  // after each sub-layer
  double feed_forward_dropout = 0;     // after each of the two layers of the feed-forward
};

// Layer norm (Ba et al. 2016) or RMS norm without a shift (Zhang and Sennrich 2019), alone or after a
// residual sum.
class Norm {
 public:
  Norm(LayerBuilder& builder, const std::string& name, Index width, const SubLayerSettings& settings)
      : norm_{builder.parameters.declare(name + ".gamma", {width}, 1, width, Initializer::ones),
              settings.is_rms_norm()
                  ? nullptr
                  : builder.parameters.declare(name + ".beta", {width}, 1, width, Initializer::zeros),
              static_cast<Real>(settings.norm_epsilon), !settings.is_rms_norm()} {}

  Variable operator()(const ForwardContext& context, const Variable& x) const {
    return ops::norm(context.tape, x, norm_);
  }
  // norm(x + z); nobody else reads z.
  Variable after_sum(const ForwardContext& context, const Variable& x, const Variable& z) const {
    return ops::add_norm(context.tape, x, z, norm_, ops::Use::donate);
  }

 private:
  ops::Norm norm_;
};

// act(x·W1 + b1)·W2 + b2, token by token; gated: (act(x·Wg) * x·W1)·W2 (Shazeer 2020).
class FeedForward {
 public:
  FeedForward(LayerBuilder& builder, const std::string& name, const BlockSettings& settings)
      : inner_(layer(builder, name + ".inner", settings, true,
                     settings.is_gated() ? ops::Activation::none : settings.activation)),
        outer_(layer(builder, name + ".outer", settings, false,
                     settings.has_second_activation ? settings.activation : ops::Activation::none)),
        inner_dropout_(name + ".inner", settings.feed_forward_dropout),
        outer_dropout_(name + ".outer", settings.feed_forward_dropout) {
    if (settings.is_gated()) gate_ = layer(builder, name + ".gate", settings, true, settings.activation);
  }

  Variable operator()(const ForwardContext& context, const Variable& x) const {
    Variable inner = inner_(context, x);
    if (gate_) inner = ops::multiply(context.tape, (*gate_)(context, x), inner);
    inner = inner_dropout_(context, inner);
    return outer_dropout_(context, outer_(context, inner, ops::Use::donate));
  }

  // Multiplications and additions over `length` tokens.
  double flops(Index length) const {
    return 2 * (gate_ ? 3 : 2) * static_cast<double>(length * inner_.weight().size());
  }

 private:
  static Linear layer(LayerBuilder& builder, const std::string& name, const BlockSettings& settings,
                      bool is_inner, ops::Activation activation) {
    const Index width = settings.attention.width, F = settings.feed_forward_width,
                inputs = is_inner ? width : F, outputs = is_inner ? F : width;
    const std::vector<Index> bias = settings.is_gated() ? std::vector<Index>{} : std::vector<Index>{outputs};
    return {builder,   name,    {inputs, outputs},           bias,
            inputs,    outputs, static_cast<double>(inputs), static_cast<double>(outputs),
            activation};
  }

  Linear inner_, outer_;
  std::optional<Linear> gate_;
  Dropout inner_dropout_, outer_dropout_;
};

// What a sub-layer f adds to x, with its norm and its dropout.
class Residual {
 public:
  Residual(LayerBuilder& builder, const std::string& name, const BlockSettings& settings)
      : norm_(builder, name, settings.attention.width, settings),
        dropout_(name, settings.dropout),
        is_pre_norm_(settings.is_pre_norm()) {}
  // Nobody else reads what f returns.
  template <class SubLayer>
  Variable operator()(const ForwardContext& context, const Variable& x, const SubLayer& f) const {
    if (!is_pre_norm_) return norm_.after_sum(context, x, dropout_(context, f(x)));
    return ops::add(context.tape, x, dropout_(context, f(norm_(context, x))), ops::Use::donate);
  }

 private:
  Norm norm_;
  Dropout dropout_;
  bool is_pre_norm_;
};

}  // namespace headwater
