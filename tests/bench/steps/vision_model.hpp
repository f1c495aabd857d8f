// Rows D1 and D2: images as sequences of patches, with a class token or with all patches laid side by side
// before the dense layers.
#pragma once

#include <vector>

#include "models/vision.hpp"
#include "steps/step_model.hpp"

namespace headwater::bench {

struct VisionStepSettings {
  VisionSettings model;
  Index batch = 1;
};

class VisionStep : public StepModel {
 public:
  explicit VisionStep(const VisionStepSettings& settings) : settings_(settings), model_(settings.model) {
    const PatchGrid grid = settings.model.grid();
    batch_.clear();
    batch_.pixels.resize(static_cast<std::size_t>(settings.batch * grid.patches() * grid.patch_values()));
    batch_.finish(grid, settings.model.has_class_token());
  }

  Parameters& parameters() override { return model_.parameters(); }
  Index width() const override { return settings_.model.transformer.width; }

  void draw(Draws& draws) override {
    if (batch_.labels.empty()) {  // the same images again: nothing of a step depends on their values
      for (Real& pixel : batch_.pixels) pixel = static_cast<Real>(2 * draws.uniform() - 1);
    }
    batch_.labels.clear();
    for (Index i = 0; i < settings_.batch; ++i) {
      batch_.labels.push_back(
          static_cast<std::int32_t>(draws.below(static_cast<std::uint32_t>(settings_.model.classes))));
    }
  }

  double loss(const ForwardContext& context) override {
    const double scale = 1 / static_cast<double>(settings_.batch);
    return scale * model_.loss(context, batch_, 0, scale).loss;
  }

  Index useful_tokens() const override { return static_cast<Index>(batch_.tokens.position_of.size()); }
  double useful_flops() const override {
    const VisionSettings& s = settings_.model;
    const BlockSettings block = block_settings(s.transformer);
    const Index tokens = useful_tokens(), length = tokens / settings_.batch;
    PackedTokens images;
    equal_sequences(settings_.batch, length, images);
    const double flops = attention_flops(block.attention, images, images, Causality::full) +
                         2 * linear_flops(tokens, width(), block.feed_forward_width);
    double sum = linear_flops(settings_.batch * s.grid().patches(), s.grid().patch_values(), width()) +
                 static_cast<double>(s.layers) * flops;
    Index inputs = s.has_class_token() ? width() : length * width();
    for (const Index outputs : s.head_widths) {
      sum += linear_flops(settings_.batch, inputs, outputs);
      inputs = outputs;
    }
    return sum + linear_flops(settings_.batch, inputs, s.classes);
  }

 private:
  VisionStepSettings settings_;
  VisionModel model_;
  ImageBatch batch_;
};

}  // namespace headwater::bench
