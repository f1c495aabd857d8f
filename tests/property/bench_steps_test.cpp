// The benchmark's training steps give the same bits on every code path and for any number of threads: small
// versions of the rows, with sizes that no vector width divides.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/steps/runner.hpp"
#include "same_bits.hpp"
#include "support/parallel.hpp"
#include "tensor/kernels/isa.hpp"

using namespace headwater;
using namespace headwater::bench;

namespace {

const std::vector<Lengths> kLengths{{3, 4}, {70, 17}, {1, 1}, {33, 40}, {16, 8}};

// What all models but the translator have.
TransformerSettings small_transformer(Index heads, Index head_width) {
  TransformerSettings t;
  t.width = 24;
  t.heads = heads;
  t.head_width = head_width;
  t.feed_forward_width = 40;
  t.norm_epsilon = 1e-6;
  t.activation = ops::Activation::gelu;
  t.length = 70;
  t.dropout = t.attention_dropout = 0.1;
  return t;
}

Row finished(std::unique_ptr<StepModel> model, OptimizerSettings optimizer) {
  model->parameters().allocate(true);
  const Index parameters = model->parameters().size();
  return {std::move(model), parameters, std::move(optimizer)};
}

Row small_language_model() {
  LanguageModelStepSettings s;
  s.model.transformer = small_transformer(2, 20);
  s.model.layers = 2;
  s.vocabulary = 101;
  s.batch = 11;
  s.lengths = kLengths;
  return finished(std::make_unique<LanguageModelStep>(s), {.kind = OptimizerKind::adam});
}

Row small_translator() {
  TranslationStepSettings s;
  TransformerSettings& t = s.model.transformer;
  t.width = 24;
  t.heads = 3;
  t.feed_forward_width = 40;
  t.positions = Positions::sinusoidal;
  t.scale_embedding = true;
  t.length = 70;
  t.dropout = 0.1;
  s.model.encoder_layers = s.model.decoder_layers = 2;
  s.source_vocabulary = 90;
  s.target_vocabulary = 83;
  s.batch = 11;
  s.lengths = kLengths;
  return finished(std::make_unique<TranslationStep>(s), {.kind = OptimizerKind::rmsprop});
}

// Images of 14 patches of 3x3, and an edge that is left out.
VisionStepSettings small_images() {
  VisionStepSettings s;
  s.batch = 21;
  s.model.transformer = small_transformer(2, 9);
  s.model.transformer.norm = NormPlacement::pre;
  s.model.layers = 2;
  s.model.image_height = 7;
  s.model.image_width = 22;
  s.model.channels = 3;
  s.model.patch_size = 3;
  s.model.classes = 7;
  return s;
}

Row small_flat_vision() {
  VisionStepSettings s = small_images();
  s.model.pooling = ImagePooling::flatten;
  s.model.has_second_activation = true;
  s.model.transformer.dropout = 0;
  s.model.feed_forward_dropout = 0.1;
  s.model.head_widths = {50, 30};
  s.model.head_dropout = 0.4;
  return finished(std::make_unique<VisionStep>(s), {.kind = OptimizerKind::adamw, .weight_decay = 0.1});
}

Row small_token_vision() {
  VisionStepSettings s = small_images();
  s.model.head_widths = {50};
  return finished(std::make_unique<VisionStep>(s), {.kind = OptimizerKind::adam});
}

Row small_classifier_of(bool pools_padding) {
  ClassifierStepSettings s;
  s.vocabulary = 101;
  s.batch = 11;
  s.lengths = kLengths;
  s.model.transformer = small_transformer(2, 24);
  s.model.encoder_layers = pools_padding ? 2 : 1;
  s.model.transformer.output_dropout = 0.5;
  if (pools_padding) s.model.padding = Padding::pooled;
  return finished(std::make_unique<ClassifierStep>(s), {.kind = OptimizerKind::rmsprop});
}
Row small_classifier() { return small_classifier_of(false); }
Row small_pooled_padding() { return small_classifier_of(true); }

Row small_recurrent(const MixingSettings& mixing, ops::Pooling pooling) {
  ClassifierStepSettings s;
  s.vocabulary = 101;
  s.batch = 11;
  s.lengths = kLengths;
  s.model.transformer = small_transformer(2, 24);
  s.model.encoder_layers = 2;
  s.model.mixing = mixing;
  s.model.pooling = pooling;
  return finished(std::make_unique<ClassifierStep>(s), {.kind = OptimizerKind::rmsprop});
}
Row small_lstm() { return small_recurrent({.mixing = "lstm", .bidirectional = true}, ops::Pooling::mean); }
Row small_gru() { return small_recurrent({.mixing = "gru"}, ops::Pooling::last); }
Row small_gru_reset_before() {
  return small_recurrent({.mixing = "gru", .reset_after = false}, ops::Pooling::last);
}
Row small_recurrent_language_model() {
  LanguageModelStepSettings s;
  s.model.transformer = small_transformer(2, 20);
  s.model.layers = 2;
  s.model.mixing.mixing = "lstm";
  s.vocabulary = 101;
  s.batch = 11;
  s.lengths = kLengths;
  return finished(std::make_unique<LanguageModelStep>(s), {.kind = OptimizerKind::adam});
}

std::vector<Real> learned(const std::function<Row()>& make, int threads) {
  std::vector<Real> values;
  ThreadPool(threads).run([&] {
    Runner runner(make(), 5);
    for (int step = 0; step < 3; ++step) {
      runner.draw();
      runner.step();
    }
    const auto all = runner.model().parameters().values();
    values.assign(all.begin(), all.end());
  });
  return values;
}

}  // namespace

TEST_CASE("the benchmark's steps give the same bits everywhere") {
  const std::pair<const char*, std::function<Row()>> rows[] = {
      {"language model", small_language_model},
      {"translator", small_translator},
      {"vision, flat", small_flat_vision},
      {"vision, class token", small_token_vision},
      {"classifier", small_classifier},
      {"pooled padding", small_pooled_padding},
      {"lstm, both ways", small_lstm},
      {"gru", small_gru},
      {"gru, reset before", small_gru_reset_before},
      {"language model, lstm", small_recurrent_language_model}};
  const kernels::Isa widest = kernels::active_isa();
  for (const auto& [name, make] : rows) {
    const std::vector<Real> expected = learned(make, 2);
    for (const int threads : {1, 3, 8}) {
      INFO(std::string(name), " on ", threads, " threads");
      CHECK(same_bits(learned(make, threads), expected));
    }
    for (const kernels::Isa isa : {kernels::Isa::avx512, kernels::Isa::avx2, kernels::Isa::portable}) {
      if (isa == widest || !kernels::isa_available(isa)) continue;
      kernels::set_isa(isa);
      INFO(std::string(name), " with ", std::string(name_of(isa)));
      CHECK(same_bits(learned(make, 2), expected));
      kernels::set_isa(widest);
    }
  }
}

// make_row compares the number of parameters with the experiment's.
TEST_CASE("every row of the benchmark learns a step") {
  for (const std::string_view name : kRowNames) {
    INFO(std::string(name));
    Runner runner(make_row(name, HEADWATER_SOURCE_DIR "/tests/bench/lengths"), 1);
    runner.model().set_batch(2);
    runner.draw();
    const double loss = runner.step();
    CHECK(loss > 0);
    CHECK(std::isfinite(loss));
    CHECK(runner.model().useful_tokens() > 0);
    CHECK(runner.model().useful_flops() > 0);
  }
}
