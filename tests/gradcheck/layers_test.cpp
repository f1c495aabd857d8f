#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "families/bag_of_words/model.hpp"
#include "families/classifier/model.hpp"
#include "families/translator/model.hpp"
#include "gradcheck/checker.hpp"
#include "layers/embedding.hpp"
#include "layers/transformer_stack.hpp"
#include "unusual_mixing.hpp"

using namespace headwater;
using namespace headwater::gradcheck;

namespace {

BlockSettings block_settings_of(NormPlacement norm, ops::Activation activation) {
  BlockSettings settings;
  settings.attention = {.width = 6, .heads = 2, .head_width = 4, .dropout = 0.2};
  settings.activation = activation;
  settings.feed_forward_width = 5;
  settings.norm = norm;
  settings.dropout = 0.3;
  return settings;
}

void check(const Case& test, double tolerance) {
  const GradientError worst = worst_gradient_error(test, 11);
  INFO(test.name << " at " << worst.where);
  CHECK(worst.checked > 0);
  CHECK(worst.relative <= tolerance);
}

}  // namespace

TEST_CASE("layers: encoder and decoder blocks, pre- and post-norm") {
  for (const NormPlacement norm : {NormPlacement::post, NormPlacement::pre}) {
    for (const Causality causality : {Causality::full, Causality::causal}) {
      BlockSettings settings = block_settings_of(
          norm, causality == Causality::full ? ops::Activation::relu : ops::Activation::gelu);
      settings.causality = causality;
      std::unique_ptr<TransformerBlock> encoder;
      check({"encoder block",
             [&](Fixture& f) {
               f.input("x", 8, 6);
               encoder = std::make_unique<TransformerBlock>(f.builder, "block", settings);
             },
             [&](Pass& p) { return Result{(*encoder)(p.context, p.inputs[0]).hidden}; }},
            2e-6);
    }
    BlockSettings settings = block_settings_of(norm, ops::Activation::silu);
    settings.causality = Causality::causal;
    settings.has_cross_attention = true;
    std::unique_ptr<TransformerBlock> decoder;
    check(
        {"decoder block",
         [&](Fixture& f) {
           f.input("x", 8, 6);
           f.input("memory", 10, 6);
           decoder = std::make_unique<TransformerBlock>(f.builder, "block", settings);
         },
         [&](Pass& p) { return Result{(*decoder)(p.context, p.inputs[0], {.memory = p.inputs[1]}).hidden}; }},
        2e-6);
  }
}

TEST_CASE("layers: blocks whose feed-forward ends with its activation and has dropouts") {
  for (const NormPlacement norm : {NormPlacement::post, NormPlacement::pre}) {
    BlockSettings settings = block_settings_of(norm, ops::Activation::gelu);
    settings.has_second_activation = true;
    settings.feed_forward_dropout = 0.2;
    std::unique_ptr<TransformerBlock> block;
    check({"block with a second activation",
           [&](Fixture& f) {
             f.input("x", 8, 6);
             block = std::make_unique<TransformerBlock>(f.builder, "block", settings);
           },
           [&](Pass& p) { return Result{(*block)(p.context, p.inputs[0]).hidden}; }},
          2e-6);
  }
}

TEST_CASE("layers: blocks with RMS norms and a gated feed-forward") {
  for (const NormPlacement norm : {NormPlacement::post, NormPlacement::pre}) {
    BlockSettings settings = block_settings_of(norm, ops::Activation::silu);
    settings.norm_type = NormType::rms_norm;
    settings.feed_forward = FeedForwardType::gated;
    std::unique_ptr<TransformerBlock> block;
    check({"gated block",
           [&](Fixture& f) {
             f.input("x", 8, 6);
             block = std::make_unique<TransformerBlock>(f.builder, "block", settings);
           },
           [&](Pass& p) { return Result{(*block)(p.context, p.inputs[0]).hidden}; }},
          2e-6);
  }
}

TEST_CASE("layers: RMS norm and gated feed-forward are the papers' equations") {
  constexpr Index T = 3, D = 6, F = 5;
  BlockSettings settings = block_settings_of(NormPlacement::pre, ops::Activation::silu);
  settings.norm_type = NormType::rms_norm;
  settings.feed_forward = FeedForwardType::gated;
  Parameters parameters;
  LayerBuilder builder{parameters};
  const Norm norm(builder, "norm", D, settings);
  const FeedForward feed_forward(builder, "ff", settings);
  CHECK(feed_forward.flops(T) == 2 * T * 3 * D * F);
  parameters.allocate(false);
  REQUIRE(parameters.size() == D + 3 * D * F);  // neither shift nor biases
  parameters.initialize(3);
  Arena arena;
  Tape tape(arena, Tape::Mode::inference);
  const Matrix x = arena.matrix(T, D);
  for (Index i = 0; i < T * D; ++i) x.data[i] = std::sin(1.7 * static_cast<double>(i));
  const Parameter &gamma = *parameters.find("norm.gamma"), &gate = *parameters.find("ff.gate.weight"),
                  &inner = *parameters.find("ff.inner.weight"), &outer = *parameters.find("ff.outer.weight");
  for (Index c = 0; c < D; ++c) gamma.value.data[c] = 0.5 + static_cast<double>(c);
  const Variable normed = norm({tape}, tape.wrap(x, nullptr, false)), y = feed_forward({tape}, normed);
  for (Index t = 0; t < T; ++t) {
    double squares = 0, expected[D] = {};
    for (Index c = 0; c < D; ++c) squares += x.row(t)[c] * x.row(t)[c];
    const auto normed_at = [&](Index c) {
      return x.row(t)[c] / std::sqrt(squares / D + settings.norm_epsilon) * gamma.value.data[c];
    };
    for (Index c = 0; c < D; ++c)
      CHECK(normed.value().row(t)[c] == doctest::Approx(normed_at(c)).epsilon(1e-12));
    for (Index f = 0; f < F; ++f) {
      double g = 0, u = 0;
      for (Index c = 0; c < D; ++c) {
        g += normed_at(c) * gate.value.row(c)[f];
        u += normed_at(c) * inner.value.row(c)[f];
      }
      for (Index c = 0; c < D; ++c) expected[c] += g / (1 + std::exp(-g)) * u * outer.value.row(f)[c];
    }
    for (Index c = 0; c < D; ++c) CHECK(y.value().row(t)[c] == doctest::Approx(expected[c]).epsilon(1e-12));
  }
}

TEST_CASE("layers: encoder blocks of every mixer, pre- and post-norm") {
  for (const NormPlacement norm : {NormPlacement::post, NormPlacement::pre}) {
    for (const MixerKind* const mixer : mixer_kinds()) {
      BlockSettings settings = block_settings_of(norm, ops::Activation::gelu);
      settings.mixing = {.mixing = std::string(mixer->name), .mixing_width = 3, .bidirectional = true};
      if (mixer->head_width) settings.attention.head_width = mixer->head_width(settings.attention);
      settings.length = 7;
      std::unique_ptr<TransformerBlock> encoder;
      check({"encoder block, mixing " + std::string(mixer->name),
             [&](Fixture& f) {
               f.input("x", 8, 6);
               encoder = std::make_unique<TransformerBlock>(f.builder, "block", settings);
             },
             [&](Pass& p) { return Result{(*encoder)(p.context, p.inputs[0]).hidden}; }},
            2e-6);
    }
  }
}

TEST_CASE("layers: embedding, every kind of positions") {
  for (const Positions positions : {Positions::none, Positions::learned, Positions::sinusoidal,
                                    Positions::sinusoidal_halves, Positions::sinusoidal_tensor2tensor}) {
    std::unique_ptr<Embedding> embedding;
    check(
        {"embedding",
         [&](Fixture& f) {
           embedding = std::make_unique<Embedding>(
               f.builder, "e",
               EmbeddingSettings{
                   .vocabulary_size = 7, .width = 6, .length = 5, .positions = positions, .is_scaled = true});
         },
         [&](Pass& p) {
           return Result{
               (*embedding)(p.context, p.packing, p.fixture.tokens.ids, p.fixture.tokens.position_of)};
         }},
        1e-6);
  }
}

TEST_CASE("a whole encoder-decoder with two layers a side") {
  struct Variant {
    NormPlacement norm;
    SharedEmbeddings shared;
    bool is_doubled = false;
    MixingSettings mixing = {};
    bool has_additive = false;
  };
  const MixingSettings gru{.mixing = "gru"}, both{.mixing = "gru", .bidirectional = true};
  using enum NormPlacement;
  using enum SharedEmbeddings;
  std::vector<Variant> variants{{pre, none},
                                {pre, target_output},
                                {post, source_target},
                                {post, all},
                                {pre, none, true},
                                {pre, all, true},
                                {post, none, true, both},
                                {post, all, false, gru, true},
                                {post, none, false, both, true}};
  for (const MixerKind* const mixer : mixer_kinds()) {
    if (mixer->takes_steps && (!mixer->is_recurrent || mixer->begins_with_state))
      variants.push_back({post, none, false, {.mixing = std::string(mixer->name)}});
  }
  for (const auto& [norm, shared, is_doubled, mixing, has_additive] : variants) {
    EncoderDecoderSettings settings;
    settings.mixing = mixing;
    settings.additive_attention = has_additive;
    settings.embedding_width = mixing.bidirectional ? 3 : 0;
    settings.share_embeddings = shared;
    settings.transformer.scale_embedding = shared != none;
    if (settings.transformer.scale_embedding) settings.transformer.initialization = Initialization::vaswani;
    settings.transformer.width = 4;
    settings.transformer.heads = 2;
    settings.transformer.head_width = 3;
    fit_heads(settings.transformer, mixer_kind(mixing.mixing));
    settings.transformer.feed_forward_width = 5;
    settings.encoder_layers = settings.decoder_layers = 2;
    settings.transformer.norm = norm;
    settings.transformer.activation = ops::Activation::gelu;
    settings.transformer.length = 6;
    settings.transformer.dropout = settings.transformer.attention_dropout =
        settings.transformer.output_dropout = 0.2;
    EncoderDecoder model(settings, shares_tables(settings) ? 9 : 7, 9);
    model.parameters().allocate(true);
    model.parameters().initialize(3);
    PairBatch batch;
    batch.clear(is_doubled);
    batch.add(std::vector<std::int32_t>{1, 2, 3}, std::vector<std::int32_t>{2, 5, 6, 3});
    batch.add(std::vector<std::int32_t>{4}, std::vector<std::int32_t>{2, 7, 3});
    batch.add(std::vector<std::int32_t>{6, 5, 4, 1}, std::vector<std::int32_t>{2, 8, 4, 4, 5, 3});
    batch.finish();
    Arena arena(std::size_t{1} << 30);
    constexpr double kScale = 0.1;
    const auto loss = [&](bool is_backward) {
      arena.reset();
      model.parameters().begin_step();
      Tape tape(arena, Tape::Mode::record);
      const double value = model.loss({tape, 17, 2}, batch, 0.1, kScale, is_doubled ? 3 : 0).loss * kScale;
      if (is_backward) tape.backward();
      return value;
    };
    const ModelError worst = worst_model_error(model.parameters(), loss);
    INFO(name_of(norm) << "-norm, " << mixing.mixing << (has_additive ? " with attention" : "")
                       << ", shared: " << name_of(shared) << (is_doubled ? ", two passes" : "") << ", "
                       << model.parameters().size() << " parameters");
    CHECK(worst.largest > 1e-3);
    CHECK(worst.error <= 1e-6);
  }
}

TEST_CASE("whole classifiers: every mixing, pooling and head; a bag of words") {
  const auto check_model = [](TextClassifier&& model, HeadType head, const std::string& name,
                              bool is_of_pairs = false) {
    model.parameters().allocate(true);
    model.parameters().initialize(3);
    ClassBatch batch;
    batch.clear();
    for (const std::vector<std::int32_t>& ids :
         {std::vector<std::int32_t>{1, 2, 3}, {4}, {6, 5, 4, 1}, {2, 3, 2, 1, 6, 5}}) {
      const Index length = model.padded_length(static_cast<Index>(ids.size()));
      if (is_of_pairs) {
        batch.add_pair(ids, static_cast<Index>(ids.size() / 2), length);
      } else {
        batch.add(ids, length);
      }
    }
    if (model.reads_bags()) {
      for (std::size_t i = 0; i < batch.source.ids.size(); ++i)
        batch.values.push_back(0.25 * static_cast<double>(i) - 1);
    }
    batch.labels = {1, 0, 0, static_cast<std::int32_t>(model.classes() - 1)};
    batch.finish();
    Arena arena(std::size_t{1} << 30);
    const ModelError worst = worst_model_error(model.parameters(), [&](bool is_backward) {
      arena.reset();
      model.parameters().begin_step();
      Tape tape(arena, Tape::Mode::record);
      constexpr double kScale = 0.1;
      const double smoothing = head == HeadType::softmax ? 0.1 : 0;
      const double value = model.loss({tape, 17, 2}, batch, smoothing, kScale).loss * kScale;
      if (is_backward) tape.backward();
      return value;
    });
    INFO(name << ", " << name_of(head));
    CHECK(worst.largest > 1e-3);
    CHECK(worst.error <= 1e-6);
  };
  const auto check_classifier = [&](const ClassifierSettings& s) {
    check_model(Classifier(s, 7), s.head.head,
                s.mixing.mixing + ", " + std::string(name_of(s.pooling)) + ", padding " +
                    std::string(name_of(s.padding)));
  };
  ClassifierSettings settings;
  settings.transformer.width = 4;
  settings.transformer.heads = 2;
  settings.transformer.head_width = 3;
  settings.transformer.feed_forward_width = 5;
  settings.transformer.activation = ops::Activation::gelu;
  settings.transformer.length = 6;
  settings.transformer.dropout = settings.transformer.attention_dropout = 0.2;
  settings.transformer.output_dropout = 0.2;
  settings.encoder_layers = 2;
  const TransformerSettings transformer = settings.transformer;
  for (const MixerKind* const mixer : mixer_kinds()) {
    for (const ops::Pooling pooling : {ops::Pooling::max, ops::Pooling::mean, ops::Pooling::first}) {
      if (!mixer->encodes_texts) continue;
      settings.transformer = transformer;
      fit_heads(settings.transformer, *mixer);
      settings.mixing = {std::string(mixer->name), 3};
      settings.pooling = pooling;
      settings.transformer.norm =
          settings.pooling == ops::Pooling::mean ? NormPlacement::pre : NormPlacement::post;
      settings.head = settings.pooling == ops::Pooling::mean ? ClassHeadSettings{HeadType::softmax, 3}
                                                             : ClassHeadSettings{};
      settings.padding = settings.pooling == ops::Pooling::first ? Padding::attended : Padding::none;
      check_classifier(settings);
    }
  }
  settings.mixing = {.mixing = "lstm", .bidirectional = true};
  settings.pooling = ops::Pooling::mean;
  settings.padding = Padding::none;
  check_classifier(settings);
  settings.mixing = {.mixing = "gru", .reset_after = false};
  settings.pooling = ops::Pooling::last;
  check_classifier(settings);
  settings.mixing = {};
  settings.pooling = ops::Pooling::max;
  settings.transformer.norm = NormPlacement::post;
  settings.head = {};
  settings.padding = Padding::pooled;
  check_classifier(settings);
  settings.pooling = ops::Pooling::first;
  settings.pooler = settings.embedding_norm = true;
  settings.segments = 2;
  check_classifier(settings);
  settings.padding = Padding::none;
  check_model(Classifier(settings, 7), HeadType::sigmoid, "pairs of texts, pooler, norm of the embedding",
              true);
  BagOfWordsSettings bag{.width = 5, .output_dropout = 0.2};
  check_model(BagOfWords(bag, 7), HeadType::sigmoid, "bag of words");
  bag.head = {HeadType::softmax, 3};
  check_model(BagOfWords(bag, 7), HeadType::softmax, "bag of words");
}
