// Whole language models, masked ones and vision models: the gradient of every parameter against differences
// of the loss.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "families/language_model/model.hpp"
#include "families/masked_lm/model.hpp"
#include "families/vision/model.hpp"
#include "gradcheck/checker.hpp"
#include "unusual_mixing.hpp"

using namespace headwater;
using namespace headwater::gradcheck;

namespace {

// Every parameter's gradient of what loss(context) returns and leaves on the tape.
void check_gradients(Parameters& parameters, const std::function<double(const ForwardContext&)>& loss) {
  parameters.allocate(true);
  parameters.initialize(3);
  Arena arena(std::size_t{1} << 30);
  const ModelError worst = worst_model_error(parameters, [&](bool is_backward) {
    arena.reset();
    parameters.begin_step();
    Tape tape(arena, Tape::Mode::record);
    const double value = loss({tape, 17, 2});
    if (is_backward) tape.backward();
    return value;
  });
  CHECK(worst.largest > 1e-3);
  CHECK(worst.error <= 1e-6);
}

TokenBatch three_texts() {
  TokenBatch batch;
  batch.clear();
  for (const std::vector<std::int32_t>& ids :
       {std::vector<std::int32_t>{1, 2, 3}, {4, 2}, {6, 5, 4, 1, 2, 2, 3}})
    batch.add(ids);
  batch.finish();
  return batch;
}

// For a model that has a loss over the batch.
template <class Model, class Batch>
void check_model(Model& model, const Batch& batch) {
  constexpr double kScale = 0.1;
  check_gradients(model.parameters(), [&](const ForwardContext& context) {
    return model.loss(context, batch, 0.1, kScale).loss * kScale;
  });
}

}  // namespace

TEST_CASE("a whole language model with two layers") {
  for (const NormPlacement norm : {NormPlacement::post, NormPlacement::pre}) {
    for (const auto& [positions, is_tied] : {std::pair{Positions::learned, false},
                                             {Positions::sinusoidal, true},
                                             {Positions::learned, true},
                                             {Positions::sinusoidal, false},
                                             {Positions::rotary, true},
                                             {Positions::rotary, false}}) {
      LanguageModelSettings settings;
      settings.transformer.width = 4;
      settings.transformer.heads = 2;
      settings.transformer.head_width = positions == Positions::rotary ? 4 : 3;
      settings.transformer.feed_forward_width = 5;
      settings.layers = 2;
      settings.transformer.norm = norm;
      settings.transformer.positions = positions;
      settings.transformer.activation = ops::Activation::gelu;
      settings.transformer.length = 6;
      settings.transformer.dropout = settings.transformer.attention_dropout =
          settings.transformer.output_dropout = 0.2;
      settings.embedding_dropout = 0.1;
      settings.tie_embeddings = is_tied;
      settings.output_bias = !is_tied;
      LanguageModel model(settings, 7);
      INFO(std::string(name_of(norm)), "-norm, positions ", std::string(name_of(positions)),
           is_tied ? ", tied" : "");
      check_model(model, three_texts());
    }
  }
}

TEST_CASE("language models of every mixer that takes steps, attention with a window") {
  std::vector<MixingSettings> all{{.mixing = "gru", .reset_after = false}};
  for (const MixerKind* const mixer : mixer_kinds()) {
    if (mixer->takes_steps) all.push_back({.mixing = std::string(mixer->name)});
  }
  for (const MixingSettings& mixing : all) {
    LanguageModelSettings settings{.transformer = {}, .layers = 2, .mixing = mixing};
    settings.tie_embeddings = mixing.is_recurrent();
    settings.transformer.width = 4;
    settings.transformer.heads = 2;
    settings.transformer.feed_forward_width = 5;
    settings.transformer.attention_window = mixing.has_attention() ? 2 : 0;
    settings.transformer.activation = ops::Activation::gelu;
    settings.transformer.positions = mixing.is_recurrent() ? Positions::none : Positions::learned;
    settings.transformer.length = 6;
    settings.transformer.dropout = settings.transformer.output_dropout = 0.2;
    LanguageModel model(settings, 7);
    INFO(mixing.mixing);
    check_model(model, three_texts());
  }
}

TEST_CASE("a language model whose loss is taken after a delimiter") {
  LanguageModelSettings settings;
  settings.transformer.width = 4;
  settings.transformer.heads = 2;
  settings.transformer.feed_forward_width = 5;
  settings.transformer.activation = ops::Activation::gelu;
  settings.transformer.length = 6;
  settings.transformer.dropout = 0.2;
  LanguageModel model(settings, 7);
  const std::vector<std::int32_t> source{1, 2}, target{3, 4, 6}, other{2};
  TokenBatch batch;
  batch.clear();
  batch.add(DelimitedText{source, target, 5});
  batch.add(DelimitedText{target, other, 5});
  batch.finish();
  check_model(model, batch);
}

TEST_CASE("whole vision models with two layers: a class token, all patches or their mean, every mixing") {
  std::vector<std::pair<ImagePooling, const MixerKind*>> cases{
      {ImagePooling::flatten, &mixer_kind("attention")}, {ImagePooling::mean, &mixer_kind("mlp")}};
  for (const MixerKind* const mixer : mixer_kinds()) {
    if (mixer->encodes_images)
      cases.emplace_back(mixer->needs_patches_alone ? ImagePooling::mean : ImagePooling::class_token, mixer);
  }
  for (const auto& [pooling, mixer] : cases) {
    const bool has_class_token = pooling == ImagePooling::class_token;
    VisionSettings settings;
    settings.mixing = {.mixing = std::string(mixer->name), .mixing_width = 3};
    settings.transformer.width = 4;
    settings.transformer.heads = 2;
    settings.transformer.head_width = 3;
    fit_heads(settings.transformer, *mixer);
    settings.transformer.feed_forward_width = 5;
    settings.layers = 2;
    settings.transformer.norm = NormPlacement::pre;
    settings.transformer.activation = ops::Activation::gelu;
    settings.transformer.dropout = has_class_token ? 0.2 : 0;
    settings.transformer.attention_dropout = 0.2;
    settings.pooling = pooling;
    settings.class_token_position = settings.final_norm = mixer->name != "averaged_attention";
    settings.has_second_activation = !has_class_token;
    settings.feed_forward_dropout = has_class_token ? 0 : 0.2;
    settings.image_height = 4;
    settings.image_width = 6;
    settings.patch_size = 2;
    settings.classes = 3;
    settings.head_widths = {5};
    settings.head_dropout = 0.2;
    VisionModel model(settings);
    ImageBatch batch;
    batch.clear();
    std::vector<Real> image(24);
    for (int i = 0; i < 5; ++i) {
      for (std::size_t p = 0; p < image.size(); ++p) image[p] = std::sin(static_cast<double>(p * p) + i);
      batch.add(image, settings.grid());
      batch.labels.push_back(i % 3);
    }
    batch.finish(settings.grid(), has_class_token);
    INFO(std::string(name_of(settings.pooling)), ", ", settings.mixing.mixing);
    check_model(model, batch);
  }
}

TEST_CASE("whole masked language models: masked tokens, next sentence, boundaries of spans") {
  for (const auto& [next_sentence, span_boundary] :
       {std::pair{false, false}, {true, false}, {false, true}, {true, true}}) {
    MaskedLmSettings settings;
    settings.transformer.width = 4;
    settings.transformer.heads = 2;
    settings.transformer.feed_forward_width = 5;
    settings.transformer.activation = ops::Activation::gelu;
    settings.transformer.length = 7;
    settings.transformer.dropout = settings.transformer.attention_dropout = 0.2;
    settings.encoder_layers = 2;
    settings.segments = 2;
    settings.embedding_norm = true;
    settings.next_sentence = next_sentence;
    settings.span_boundary = span_boundary;
    MaskedLanguageModel model(settings, 9);
    MaskedBatch batch;
    batch.clear();
    batch.add(std::vector<std::int32_t>{1, 4, 4, 4, 7, 2}, std::vector<std::int32_t>{1, 2, 3},
              std::vector<std::int32_t>{5, 6, 8});
    batch.add(std::vector<std::int32_t>{1, 6, 2}, {}, {});
    batch.add(std::vector<std::int32_t>{1, 8, 4, 2, 5, 4, 2}, std::vector<std::int32_t>{2, 5},
              std::vector<std::int32_t>{7, 7});
    batch.segment_of = {0, 0, 0, 1, 1, 1, 0, 1, 1, 0, 0, 0, 0, 1, 1, 1};
    batch.is_random = {0, 1, 1};
    if (span_boundary) {
      batch.before = {0, 0, 0, 10, 13};
      batch.after = {4, 4, 4, 12, 15};
      batch.place = {0, 1, 2, 0, 0};
    }
    batch.finish();
    INFO(next_sentence, span_boundary);
    constexpr MaskedLmScales kScales{.masked = 0.1, .next_sentence = 0.3, .span_boundary = 0.2};
    check_gradients(model.parameters(), [&](const ForwardContext& context) {
      const MaskedLmTotals totals = model.loss(context, batch, kScales);
      return kScales.masked * totals.masked.loss + kScales.next_sentence * totals.next_sentence.loss +
             kScales.span_boundary * totals.span_boundary.loss;
    });
  }
}
