#include "families/translator/model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "error_text.hpp"
#include "models/settings.hpp"

using namespace headwater;

namespace {

EncoderDecoderSettings small() {
  EncoderDecoderSettings settings;
  settings.transformer.width = 8;
  settings.transformer.heads = 2;
  settings.transformer.feed_forward_width = 12;
  settings.transformer.length = 6;
  return settings;
}

}  // namespace

TEST_CASE("spa-eng has 19,960,216 parameters in five rows") {
  EncoderDecoderSettings settings;
  settings.transformer.head_width = 256;
  settings.transformer.feed_forward_width = 2048;
  settings.transformer.output_dropout = 0.5;
  EncoderDecoder model(settings, 15000, 15000);
  model.parameters().allocate(false);
  CHECK(model.parameters().size() == 19960216);
  std::map<std::string, Index> rows;
  Index sum = 0;
  for (const LayerSummary& row : model.summary()) {
    rows[row.name] = row.parameters;
    sum += row.parameters;
  }
  CHECK(rows == std::map<std::string, Index>{{"source_embedding", 3845120},
                                             {"target_embedding", 3845120},
                                             {"encoder.0", 3155456},
                                             {"decoder.0", 5259520},
                                             {"head", 3855000}});
  CHECK(sum == 19960216);
}

TEST_CASE("recurrent translators have the parameters that their source names, and those of attention") {
  EncoderDecoderSettings settings;
  settings.mixing = {.mixing = "gru", .bidirectional = true};
  settings.embedding_width = 256;
  settings.transformer.width = 1024;
  settings.transformer.positions = Positions::none;
  for (const bool has_attention : {false, true}) {
    settings.additive_attention = has_attention;
    EncoderDecoder model(settings, 15000, 15000);
    model.parameters().allocate(false);
    CHECK(model.parameters().size() == (has_attention ? 39066264 : 34869912));
    std::map<std::string, Index> rows;
    for (const LayerSummary& row : model.summary()) rows[row.name] = row.parameters;
    CHECK(rows == std::map<std::string, Index>{{"source_embedding", 3840000},
                                               {"target_embedding", 3840000},
                                               {"encoder.0", 2 * 3938304},
                                               {"decoder.0", 3938304 + (has_attention ? 4196352 : 0)},
                                               {"head", 15375000}});
  }
}

TEST_CASE("three blocks a side of width 256 with one table of 10,000 have 8,100,624 parameters") {
  EncoderDecoderSettings settings;
  settings.transformer.norm = NormPlacement::pre;
  settings.transformer.positions = Positions::sinusoidal;
  settings.encoder_layers = settings.decoder_layers = 3;
  settings.share_embeddings = SharedEmbeddings::all;
  EncoderDecoder model(settings, 10000, 10000);
  model.parameters().allocate(false);
  CHECK(model.parameters().size() == 8100624);
  std::map<std::string, Index> rows;
  for (const LayerSummary& row : model.summary()) rows[row.name] = row.parameters;
  CHECK(rows["embedding"] == 2560000);
  CHECK(rows["source_embedding"] == 0);
  CHECK(rows["head"] == 10000);
  CHECK(&model.output_layer().weight() == model.parameters().find("embedding.tokens"));
}

TEST_CASE("embeddings are one as the settings say") {
  const auto names = [](SharedEmbeddings shared) {
    EncoderDecoderSettings settings = small();
    settings.share_embeddings = shared;
    settings.transformer.positions = Positions::none;
    EncoderDecoder model(settings, 19, 19);
    model.parameters().allocate(false);
    std::vector<std::string> tables;
    for (const char* name : {"embedding.tokens", "source_embedding.tokens", "target_embedding.tokens",
                             "head.weight", "head.bias"})
      if (model.parameters().find(name) != nullptr) tables.emplace_back(name);
    return tables;
  };
  using Names = std::vector<std::string>;
  CHECK(names(SharedEmbeddings::none) ==
        Names{"source_embedding.tokens", "target_embedding.tokens", "head.weight", "head.bias"});
  CHECK(names(SharedEmbeddings::target_output) ==
        Names{"source_embedding.tokens", "target_embedding.tokens", "head.bias"});
  CHECK(names(SharedEmbeddings::source_target) == Names{"embedding.tokens", "head.weight", "head.bias"});
  CHECK(names(SharedEmbeddings::all) == Names{"embedding.tokens", "head.bias"});
  EncoderDecoderSettings settings = small();
  settings.share_embeddings = SharedEmbeddings::all;
  CHECK(error_text([&] { EncoderDecoder(settings, 5, 6); }) ==
        "model: share_embeddings all: source and target have 5 and 6 tokens, one table needs one vocabulary "
        "(learn a joint one, or write target_output)");
}

TEST_CASE("tables are drawn by their width where the recipe says vaswani") {
  EncoderDecoderSettings settings = small();
  settings.transformer.width = 64;
  settings.share_embeddings = SharedEmbeddings::all;
  settings.transformer.initialization = Initialization::vaswani;
  EncoderDecoder model(settings, 1000, 1000);
  model.parameters().allocate(false);
  model.parameters().initialize(5);
  const Parameter& table = *model.parameters().find("embedding.tokens");
  double sum = 0, squares = 0;
  for (Index i = 0; i < table.size(); ++i) {
    sum += static_cast<double>(table.value.data[i]);
    squares += static_cast<double>(table.value.data[i]) * static_cast<double>(table.value.data[i]);
  }
  const auto n = static_cast<double>(table.size());
  CHECK(std::abs(sum / n) < 2e-3);
  CHECK(std::abs(std::sqrt(squares / n) / 0.125 - 1) < 0.02);
}

TEST_CASE("attention's maps have the limits that the recipe's initialization says") {
  const auto limit_of = [](Initialization initialization, const char* name) {
    EncoderDecoderSettings settings = small();
    settings.transformer.width = 128;  // of ted-pt-en
    settings.transformer.heads = 8;
    settings.transformer.head_width = 0;
    settings.transformer.initialization = initialization;
    EncoderDecoder model(settings, 9, 9);
    model.parameters().allocate(false);
    model.parameters().initialize(1);
    const Parameter& p = *model.parameters().find(name);
    const Real* const largest = std::max_element(p.value.data, p.value.data + p.size(),
                                                 [](Real a, Real b) { return std::abs(a) < std::abs(b); });
    return static_cast<double>(std::abs(*largest));
  };
  for (const char* attention :
       {"encoder.0.self_attention", "decoder.0.self_attention", "decoder.0.cross_attention"}) {
    for (const char* map : {".query.weight", ".key.weight", ".value.weight", ".output.weight"}) {
      const std::string name = std::string(attention) + map;
      INFO(name);
      CHECK(limit_of(Initialization::glorot_uniform, name.c_str()) == doctest::Approx(0.1531).epsilon(1e-3));
      const double of_keras = name.find("output") == std::string::npos ? 0.04419 : 0.07217;
      CHECK(limit_of(Initialization::keras, name.c_str()) == doctest::Approx(of_keras).epsilon(1e-3));
    }
  }
  for (const char* name : {"source_embedding.tokens", "head.weight", "encoder.0.feed_forward.inner.weight"}) {
    INFO(std::string(name));
    CHECK(limit_of(Initialization::glorot_uniform, name) == limit_of(Initialization::keras, name));
  }
}

TEST_CASE("the rows of the table add up to all parameters, for every arrangement") {
  for (const NormPlacement norm : {NormPlacement::post, NormPlacement::pre}) {
    for (const Positions positions : {Positions::none, Positions::learned, Positions::sinusoidal_halves}) {
      for (const std::int64_t layers : {1, 2, 11}) {
        EncoderDecoderSettings settings = small();
        settings.share_embeddings = layers == 1   ? SharedEmbeddings::none
                                    : layers == 2 ? SharedEmbeddings::target_output
                                                  : SharedEmbeddings::source_target;
        settings.transformer.norm = norm;
        settings.transformer.positions = positions;
        settings.encoder_layers = layers;
        settings.decoder_layers = 12 - layers;
        EncoderDecoder model(settings, shares_tables(settings) ? 23 : 19, 23);
        model.parameters().allocate(false);
        Index sum = 0;
        for (const LayerSummary& row : model.summary()) sum += row.parameters;
        CHECK(sum == model.parameters().size());
      }
    }
  }
}

TEST_CASE("a width that heads do not divide is refused") {
  EncoderDecoderSettings settings = small();
  settings.transformer.heads = 3;
  CHECK(error_text([&] { EncoderDecoder(settings, 5, 5); }) ==
        "model: width 8 is not a multiple of heads 3 (choose head_width)");
  settings.transformer.head_width = 8;
  CHECK(error_text([&] { EncoderDecoder(settings, 5, 5); }) == "(no error)");
}

TEST_CASE("settings of a recipe reach the layers") {
  EncoderDecoderSettings settings = small();
  settings.transformer.norm = NormPlacement::pre;
  settings.transformer.activation = ops::Activation::gelu_tanh;
  settings.transformer.positions = Positions::sinusoidal;
  settings.transformer.scale_embedding = true;
  settings.transformer.dropout = 0.25;
  settings.transformer.attention_dropout = 0.5;
  const BlockSettings block = block_settings(settings.transformer);
  CHECK(block.is_pre_norm());
  CHECK(block.activation == ops::Activation::gelu_tanh);
  CHECK(block.dropout == 0.25);
  CHECK(block.attention.dropout == 0.5);
  CHECK(block.attention.head_width == 4);
  const EmbeddingSettings embedding = embedding_settings(settings.transformer, 77);
  CHECK(embedding.positions == Positions::sinusoidal);
  CHECK(embedding.is_scaled);
  CHECK(embedding.vocabulary_size == 77);
  CHECK(embedding.length == 6);
}

TEST_CASE("the loss is the one of the logits, and dropout acts on recording tapes only") {
  EncoderDecoderSettings settings = small();
  SUBCASE("a weight of its own") {}
  SUBCASE("tied") { settings.share_embeddings = SharedEmbeddings::target_output; }
  settings.transformer.dropout = settings.transformer.attention_dropout =
      settings.transformer.output_dropout = 0.3;
  EncoderDecoder model(settings, 19, 23);
  model.parameters().allocate(true);
  model.parameters().initialize(3);
  PairBatch batch;
  batch.clear();
  batch.add(std::vector<std::int32_t>{4, 5, 6}, std::vector<std::int32_t>{2, 7, 8, 3});
  batch.add(std::vector<std::int32_t>{18}, std::vector<std::int32_t>{2, 22, 3});
  batch.finish();
  Arena arena;
  Tape tape(arena, Tape::Mode::inference);
  const ForwardContext context{tape, 1, 1};
  const Variable logits =
      model.logits(context, model.decode(context, batch.target, model.encode(context, batch.source)));
  double expected = 0;
  Index correct = 0;
  for (Index t = 0; t < logits.rows(); ++t) {
    const Real* const row = logits.value().row(t);
    double sum = 0;
    for (Index v = 0; v < 23; ++v) sum += std::exp(static_cast<double>(row[v]));
    const std::int32_t label = batch.labels[t];
    expected += std::log(sum) - static_cast<double>(row[label]);
    correct += std::max_element(row, row + 23) - row == label;
  }
  const kernels::CrossEntropyTotals totals = model.loss(context, batch, 0, 1);
  CHECK(totals.loss == doctest::Approx(expected).epsilon(1e-6));
  CHECK(totals.correct == correct);
  CHECK(totals.tokens == 5);
  const auto recorded = [&](std::uint32_t step) {
    model.parameters().begin_step();
    Tape recording(arena, Tape::Mode::record);
    return model.loss({recording, 1, step}, batch, 0, 1).loss;
  };
  CHECK(recorded(1) == recorded(1));
  CHECK(recorded(1) != recorded(2));
  CHECK(recorded(1) != totals.loss);
}

TEST_CASE("a doubled batch: twice the loss, whose divergence is that of two draws of dropout") {
  EncoderDecoderSettings settings = small();
  settings.transformer.dropout = 0.3;
  EncoderDecoder model(settings, 19, 23);
  model.parameters().allocate(true);
  model.parameters().initialize(3);
  PairBatch once, twice;
  for (PairBatch* const batch : {&once, &twice}) {
    batch->clear(batch == &twice);
    batch->add(std::vector<std::int32_t>{4, 5, 6}, std::vector<std::int32_t>{2, 7, 8, 3});
    batch->add(std::vector<std::int32_t>{18}, std::vector<std::int32_t>{2, 22, 3});
    batch->finish();
  }
  CHECK(twice.source.offsets == std::vector<Index>{0, 3, 6, 7, 8});
  CHECK(twice.target.offsets == std::vector<Index>{0, 3, 6, 8, 10});
  CHECK(twice.labels == std::vector<std::int32_t>{7, 7, 8, 8, 3, 3, 22, 22, 3, 3});
  Arena arena;
  const auto loss = [&](const PairBatch& batch, Tape::Mode mode, double r_drop) {
    arena.reset();
    model.parameters().begin_step();
    Tape tape(arena, mode);
    return model.loss({tape, 1, 1}, batch, 0.1, 1, r_drop);
  };
  // Without dropout both passes are one.
  const kernels::CrossEntropyTotals plain = loss(once, Tape::Mode::inference, 0);
  const kernels::CrossEntropyTotals doubled = loss(twice, Tape::Mode::inference, 5);
  CHECK(doubled.loss == doctest::Approx(2 * plain.loss).epsilon(1e-6));
  CHECK(doubled.tokens == 2 * plain.tokens);
  CHECK(doubled.correct == 2 * plain.correct);
  // With it the divergence is linear in its weight, and not nothing.
  const double of_none = loss(twice, Tape::Mode::record, 0).loss,
               of_one = loss(twice, Tape::Mode::record, 1).loss,
               of_five = loss(twice, Tape::Mode::record, 5).loss;
  CHECK(of_one > of_none + 1e-4);
  CHECK(of_five - of_none == doctest::Approx(5 * (of_one - of_none)).epsilon(1e-4));
}
