// Rows D1 and D2: images as sequences of patches through pre-norm blocks (Dosovitskiy et al. 2021), with a
// class token or with all patches laid side by side before the classifying layers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "layers/dropout.hpp"
#include "layers/linear.hpp"
#include "models/packing.hpp"
#include "steps/step_model.hpp"

namespace headwater::bench {

struct VisionSettings {
  Index patches = 0, patch_values = 0, classes = 0;
  bool has_class_token = false;  // otherwise the patches are laid side by side
  BlockSettings block;           // pre-norm
  Index layers = 1;
  std::vector<Index> head_widths;  // dense layers (GELU) before the logits
  double head_dropout = 0;         // before and behind each of them
  Index batch = 1;
};

class VisionModel : public StepModel {
 public:
  explicit VisionModel(const VisionSettings& settings)
      : settings_(settings),
        to_patch_(builder_, "patch", settings.patch_values, width()),
        positions_(builder_.parameters.declare("positions", {length(), width()}, length(), width(),
                                               Initializer::embedding_uniform)),
        norm_(builder_, "norm", width(), settings.block.norm_epsilon),
        features_dropout_(builder_, settings.head_dropout) {
    positions_->is_table = true;
    if (settings.has_class_token) {
      class_token_ =
          builder_.parameters.declare("class_token", {width()}, 1, width(), Initializer::embedding_uniform);
    }
    for (Index i = 0; i < settings.layers; ++i)
      blocks_.emplace_back(builder_, "block." + std::to_string(i), settings.block);
    Index inputs = features();
    for (const Index outputs : settings.head_widths) {
      const std::string name = "head." + std::to_string(head_.size());
      head_.emplace_back(builder_, name, inputs, outputs, ops::Activation::gelu);
      head_dropouts_.emplace_back(builder_, settings.head_dropout);
      inputs = outputs;
    }
    logits_ = std::make_unique<Linear>(builder_, "logits", inputs, settings.classes);
    equal_sequences(settings.batch, settings.patches, patches_);
    equal_sequences(settings.batch, length(), tokens_);
    equal_sequences(settings.batch, 1, images_);
  }

  Parameters& parameters() override { return parameters_; }
  Index width() const override { return settings_.block.attention.width; }

  void draw(Draws& draws) override {
    if (pixels_.empty()) {  // the same images again: nothing of a step depends on their values
      pixels_.resize(static_cast<std::size_t>(patches_.tokens() * settings_.patch_values));
      for (Real& pixel : pixels_) pixel = static_cast<Real>(2 * draws.uniform() - 1);
    }
    labels_.clear();
    for (Index i = 0; i < settings_.batch; ++i)
      labels_.push_back(
          static_cast<std::int32_t>(draws.below(static_cast<std::uint32_t>(settings_.classes))));
  }

  double loss(const StepContext& context) override {
    Tape& tape = context.tape;
    const Variable pixels = tape.wrap(Matrix(pixels_.data(), patches_.tokens(), settings_.patch_values),
                                      &pack(tape, patches_), false);
    Variable x = to_patch_(context, pixels);  // [B·patches, D]
    if (class_token_ != nullptr) x = ops::prepend_token(tape, x, pack(tape, tokens_), *class_token_);
    x = ops::add_positions(tape, x, tokens_.position_of, *positions_);
    for (const TransformerBlock& block : blocks_) x = block(context, x).hidden;
    x = features_dropout_(context, features(context, x));
    for (std::size_t i = 0; i < head_.size(); ++i) x = head_dropouts_[i](context, head_[i](context, x));
    const Real scale = Real(1) / static_cast<Real>(settings_.batch);
    return static_cast<double>(scale) *
           ops::linear_cross_entropy(tape, x, logits_->weight(), logits_->bias(), labels_, 0, scale).loss;
  }

  Index useful_tokens() const override { return tokens_.tokens(); }
  double useful_flops() const override {
    const double block = attention_flops(settings_.block.attention, tokens_, tokens_, Causality::full) +
                         2 * linear_flops(tokens_.tokens(), width(), settings_.block.feed_forward_width);
    double sum = linear_flops(patches_.tokens(), settings_.patch_values, width()) +
                 static_cast<double>(settings_.layers) * block;
    Index inputs = features();
    for (const Index outputs : settings_.head_widths) {
      sum += linear_flops(settings_.batch, inputs, outputs);
      inputs = outputs;
    }
    return sum + linear_flops(settings_.batch, inputs, settings_.classes);
  }

 private:
  Index length() const { return settings_.patches + (settings_.has_class_token ? 1 : 0); }
  Index features() const { return settings_.has_class_token ? width() : length() * width(); }
  // [B, D] of the class token, or [B, patches·D].
  Variable features(const StepContext& context, const Variable& x) const {
    const Packing& images = pack(context.tape, images_);
    if (class_token_ == nullptr) return ops::flatten(context.tape, norm_(context, x), images);
    return norm_(context, ops::pool(context.tape, x, ops::Pooling::first, images));
  }

  VisionSettings settings_;
  Parameters parameters_;
  LayerBuilder builder_{parameters_};
  Linear to_patch_;
  Parameter* class_token_ = nullptr;
  Parameter* positions_;
  std::vector<TransformerBlock> blocks_;
  LayerNorm norm_;
  Dropout features_dropout_;
  std::vector<Linear> head_;
  std::vector<Dropout> head_dropouts_;
  std::unique_ptr<Linear> logits_;
  PackedTokens patches_, tokens_, images_;
  std::vector<Real> pixels_;
  std::vector<std::int32_t> labels_;
};

}  // namespace headwater::bench
