// Rows D1 and D2: images as sequences of patches, with a class token or with all patches laid side by side
// before the dense layers.
#pragma once

#include <chrono>
#include <vector>

#include "families/vision/directory.hpp"
#include "families/vision/model.hpp"
#include "steps/step_model.hpp"
#include "support/parallel.hpp"

namespace headwater::bench {

struct VisionStepSettings {
  VisionSettings model;
  Index batch = 1;
  Index stored_side = 0;  // of the images before the model resizes them; 0: they have the model's size
};

// The images of a step are prepared while the step before is computed, as training::Prefetcher has it.
class VisionStep : public StepModel {
 public:
  explicit VisionStep(const VisionStepSettings& settings)
      : settings_(settings),
        model_(settings.model),
        stored_(stored_shape(settings)),
        pipeline_(settings.model.images, statistics(settings.model), stored_, settings.model.image_shape()) {
    pixels_.resize(kStored * stored_.bytes());
    std::uint32_t state = 1;
    for (std::uint8_t& pixel : pixels_)
      pixel = static_cast<std::uint8_t>((state = state * 1664525u + 1013904223u) >> 24);
  }

  Parameters& parameters() override { return model_.parameters(); }
  Index width() const override { return settings_.model.transformer.width; }
  ModelSection section() const override { return model_section(settings_.model); }
  Index batch() const override { return settings_.batch; }
  void set_batch(Index examples) override { settings_.batch = examples; }

  void draw(Draws& draws) override {
    labels_.clear();
    for (Index i = 0; i < settings_.batch; ++i) {
      labels_.push_back(
          static_cast<std::int32_t>(draws.below(static_cast<std::uint32_t>(settings_.model.classes))));
    }
  }

  double loss(const ForwardContext& context) override {
    if (next_ == 0) thread_.start(job_);
    const auto start = Clock::now();
    thread_.wait();
    waited_ += std::chrono::duration<double>(Clock::now() - start).count();
    std::swap(batch_, prepared_);
    thread_.start(job_);
    batch_.labels = labels_;
    const double scale = 1 / static_cast<double>(settings_.batch);
    return scale * model_.loss(context, batch_, 0, scale).loss;
  }

  double waiting_seconds() const override { return waited_; }
  Index useful_tokens() const override {
    return settings_.batch * (settings_.model.grid().patches() + (settings_.model.has_class_token() ? 1 : 0));
  }
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
  using Clock = std::chrono::steady_clock;
  static constexpr Index kStored = 1024;  // images, one after the other

  static ImageShape stored_shape(const VisionStepSettings& settings) {
    ImageShape shape = settings.model.image_shape();
    if (settings.stored_side > 0) shape.height = shape.width = settings.stored_side;
    return shape;
  }
  static ChannelStatistics statistics(const VisionSettings& settings) {
    if (!settings.images.is_standardized()) return {};
    const std::size_t channels = settings.channels;
    return {std::vector<double>(channels, 0.5), std::vector<double>(channels, 0.25)};
  }

  void prepare() {
    const PatchGrid grid = settings_.model.grid();
    const std::size_t size = stored_.bytes();
    prepared_.clear();
    for (Index i = 0; i < settings_.batch; ++i, ++next_) {
      const ImageDraws draws = image_draws(1, 0, next_);
      const std::span<const std::uint8_t> image(
          pixels_.data() + static_cast<std::size_t>(next_ % kStored) * size, size);
      prepared_.add(pipeline_.apply(image, settings_.model.images.is_random() ? &draws : nullptr, scratch_),
                    grid);
    }
    prepared_.finish(grid, settings_.model.has_class_token());
  }
  struct Job {
    VisionStep& of;
    void operator()() { of.prepare(); }
  };

  VisionStepSettings settings_;
  VisionModel model_;
  ImageShape stored_;
  ImagePipeline pipeline_;
  ImagePipeline::Scratch scratch_;
  std::vector<std::uint8_t> pixels_;
  std::vector<std::int32_t> labels_;
  ImageBatch batch_, prepared_;
  Index next_ = 0;  // image
  double waited_ = 0;
  Job job_{*this};
  BackgroundThread thread_;  // ends before what it writes to
};

}  // namespace headwater::bench
