// The benchmark's training steps give the same bits on every code path and for any number of threads: small
// versions of the rows, with sizes that no vector width divides.
#include <doctest/doctest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/steps/runner.hpp"
#include "support/parallel.hpp"
#include "tensor/kernels/isa.hpp"

using namespace headwater;
using namespace headwater::bench;

namespace {

const std::vector<Lengths> kLengths{{3, 4}, {70, 17}, {1, 1}, {33, 40}, {16, 8}};

BlockSettings small_block(Index heads, Index head_width) {
  return {.attention = {.width = 24, .heads = heads, .head_width = head_width, .dropout = 0.1},
          .feed_forward_width = 40,
          .activation = ops::Activation::gelu,
          .norm_epsilon = 1e-6,
          .dropout = 0.1};
}

Row finished(std::unique_ptr<StepModel> model, OptimizerSettings optimizer) {
  model->parameters().allocate(true);
  const Index parameters = model->parameters().size();
  return {std::move(model), parameters, std::move(optimizer)};
}

Row small_language_model() {
  LanguageModelSettings s{
      .embedding = {.vocabulary_size = 101, .width = 24, .length = 70, .positions = Positions::learned},
      .block = small_block(2, 20),
      .layers = 2,
      .batch = 11,
      .lengths = kLengths};
  return finished(std::make_unique<LanguageModel>(s), {.kind = "adam"});
}

Row small_translator() {
  const TransformerSettings transformer{.width = 24,
                                        .heads = 3,
                                        .feed_forward_width = 40,
                                        .positions = "sinusoidal",
                                        .scale_embedding = true,
                                        .length = 70,
                                        .dropout = 0.1};
  TranslatorSettings s{.model = {transformer, 2, 2},
                       .source_vocabulary = 90,
                       .target_vocabulary = 83,
                       .batch = 11,
                       .lengths = kLengths};
  return finished(std::make_unique<Translator>(s), {.kind = "rmsprop"});
}

Row small_flat_vision() {
  VisionSettings s{.patches = 13,
                   .patch_values = 27,
                   .classes = 7,
                   .block = small_block(2, 9),
                   .has_second_activation = true,
                   .layers = 2,
                   .head_widths = {50, 30},
                   .head_dropout = 0.4,
                   .batch = 21};
  return finished(std::make_unique<VisionModel>(s), {.kind = "adamw", .weight_decay = 0.1});
}

Row small_classifier_of(bool pools_padding) {
  ClassifierSettings s{.embedding = {.vocabulary_size = 101, .width = 24, .length = 70},
                       .block = small_block(2, 24),
                       .layers = pools_padding ? 2 : 1,
                       .head_dropout = 0.5,
                       .batch = 11,
                       .pools_padding = pools_padding,
                       .lengths = kLengths};
  return finished(std::make_unique<Classifier>(s), {.kind = "rmsprop"});
}
Row small_classifier() { return small_classifier_of(false); }
Row small_pooled_padding() { return small_classifier_of(true); }

Row small_token_vision() {
  VisionSettings s{.patches = 13,
                   .patch_values = 27,
                   .classes = 7,
                   .has_class_token = true,
                   .block = small_block(2, 9),
                   .layers = 2,
                   .head_widths = {50},
                   .batch = 21};
  return finished(std::make_unique<VisionModel>(s), {.kind = "adam"});
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

bool same_bits(const std::vector<Real>& a, const std::vector<Real>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)) == 0;
}

}  // namespace

TEST_CASE("the benchmark's steps give the same bits everywhere") {
  const std::pair<const char*, std::function<Row()>> rows[] = {
      {"language model", small_language_model}, {"translator", small_translator},
      {"vision, flat", small_flat_vision},      {"vision, class token", small_token_vision},
      {"classifier", small_classifier},         {"pooled padding", small_pooled_padding}};
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
      INFO(std::string(name), " with ", std::string(kernels::name_of(isa)));
      CHECK(same_bits(learned(make, 2), expected));
      kernels::set_isa(widest);
    }
  }
}

TEST_CASE("the benchmark's rows have the experiments' numbers of parameters") {
  for (const std::string_view name : kRowNames)
    CHECK(make_row(name, HEADWATER_SOURCE_DIR "/tests/bench/lengths").model->parameters().size() > 0);
}
