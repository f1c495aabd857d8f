#include "families/language_model/model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

using namespace headwater;

namespace {

LanguageModelSettings small() {
  LanguageModelSettings settings;
  settings.transformer.width = 8;
  settings.transformer.heads = 2;
  settings.transformer.feed_forward_width = 12;
  settings.transformer.length = 6;
  settings.layers = 2;
  return settings;
}

TokenBatch two_texts() {
  TokenBatch batch;
  batch.clear();
  batch.add(std::vector<std::int32_t>{2, 7, 8, 9, 3});
  batch.add(std::vector<std::int32_t>{2, 18, 3});
  batch.finish();
  return batch;
}

}  // namespace

TEST_CASE("the language model of the benchmarks has 10,939,168 parameters in three rows") {
  LanguageModelSettings settings;
  settings.transformer.width = settings.transformer.head_width = settings.transformer.feed_forward_width =
      256;
  settings.transformer.heads = 2;
  settings.transformer.length = 80;
  LanguageModel model(settings, 20000);
  model.parameters().allocate(false);
  CHECK(model.parameters().size() == 10'939'168);
  std::map<std::string, Index> rows;
  for (const LayerSummary& row : model.summary()) rows[row.name] = row.parameters;
  CHECK(rows ==
        std::map<std::string, Index>{{"embedding", 5'140'480}, {"decoder.0", 658'688}, {"head", 5'140'000}});
}

TEST_CASE("the rows of a language model's table add up to all parameters") {
  for (const NormPlacement norm : {NormPlacement::post, NormPlacement::pre}) {
    for (const Positions positions : {Positions::none, Positions::learned, Positions::sinusoidal}) {
      LanguageModelSettings settings = small();
      settings.transformer.norm = norm;
      settings.transformer.positions = positions;
      LanguageModel model(settings, 19);
      model.parameters().allocate(false);
      Index sum = 0;
      for (const LayerSummary& row : model.summary()) {
        CHECK((row.flops > 0) == (row.name != "embedding" && row.name != "decoder.norm"));
        sum += row.parameters;
      }
      CHECK(sum == model.parameters().size());
      CHECK((model.parameters().find("decoder.norm.gamma") != nullptr) ==
            (settings.transformer.norm == NormPlacement::pre));
    }
  }
}

TEST_CASE("a language model's loss is the one of its logits, and dropout acts on recording tapes only") {
  const std::function<void(LanguageModelSettings&)> kinds[] = {
      [](LanguageModelSettings& s) { s.transformer.dropout = 0.3; },
      [](LanguageModelSettings& s) { s.transformer.attention_dropout = 0.3; },
      [](LanguageModelSettings& s) { s.embedding_dropout = 0.3; },
      [](LanguageModelSettings& s) { s.transformer.output_dropout = 0.3; },
  };
  for (const auto& choose_dropout : kinds) {
    LanguageModelSettings settings = small();
    choose_dropout(settings);
    LanguageModel model(settings, 19);
    model.parameters().allocate(true);
    model.parameters().initialize(3);
    const TokenBatch batch = two_texts();
    Arena arena;
    Tape tape(arena, Tape::Mode::inference);
    const ForwardContext context{tape, 1, 1};
    const Variable logits = model.logits(context, model.decode(context, batch.tokens));
    double expected = 0;
    for (Index t = 0; t < logits.rows(); ++t) {
      const Real* const row = logits.value().row(t);
      double sum = 0;
      for (Index v = 0; v < 19; ++v) sum += std::exp(static_cast<double>(row[v]));
      expected += std::log(sum) - static_cast<double>(row[batch.labels[t]]);
    }
    const kernels::CrossEntropyTotals totals = model.loss(context, batch, 0, 1);
    CHECK(totals.loss == doctest::Approx(expected).epsilon(1e-6));
    CHECK(totals.tokens == 6);
    const auto recorded = [&](std::uint32_t step) {
      model.parameters().begin_step();
      Tape recording(arena, Tape::Mode::record);
      return model.loss({recording, 1, step}, batch, 0, 1).loss;
    };
    CHECK(recorded(1) == recorded(1));
    CHECK(recorded(1) != recorded(2));
    CHECK(recorded(1) != totals.loss);
  }
}

TEST_CASE("the loss after a delimiter is that of the target's tokens alone") {
  LanguageModel model(small(), 19);
  model.parameters().allocate(true);
  model.parameters().initialize(3);
  const std::vector<std::int32_t> source{7, 8}, target{9, 3}, whole{7, 8, 5, 9, 3};
  TokenBatch plain, delimited;
  for (TokenBatch* batch : {&plain, &delimited}) batch->clear();
  plain.add(whole);
  delimited.add(DelimitedText{source, target, 5});
  for (TokenBatch* batch : {&plain, &delimited}) batch->finish();
  Arena arena;
  Tape tape(arena, Tape::Mode::inference);
  const Matrix logits = model.logits({tape}, model.decode({tape}, plain.tokens)).value();
  double expected = 0;
  for (Index t = 2; t < 4; ++t) {
    double sum = 0;
    for (Index v = 0; v < 19; ++v) sum += std::exp(static_cast<double>(logits.row(t)[v]));
    expected += std::log(sum) - static_cast<double>(logits.row(t)[whole[static_cast<std::size_t>(t) + 1]]);
  }
  const kernels::CrossEntropyTotals totals = model.loss({tape}, delimited, 0, 1);
  CHECK(totals.tokens == 2);
  CHECK(totals.loss == doctest::Approx(expected).epsilon(1e-6));
}

TEST_CASE("a language model does not look ahead, and leaves a trace of each layer") {
  LanguageModel model(small(), 19);
  model.parameters().allocate(false);
  model.parameters().initialize(3);
  Arena arena;
  Tape tape(arena, Tape::Mode::inference);
  const ForwardContext context{tape};
  PackedTokens text;
  text.clear();
  text.add(std::vector<std::int32_t>{2, 7, 8, 9});
  text.finish();
  std::vector<AttentionTrace> traces;
  const Matrix all = model.decode(context, text, &traces).value();
  REQUIRE(traces.size() == 2);
  for (Index layer = 0; layer < 2; ++layer) {
    const AttentionTrace& trace = traces[layer];
    CHECK(trace.kind == AttentionKind::decoder);
    CHECK(trace.layer == layer);
    CHECK(trace.attention.causality == Causality::causal);
    CHECK(trace.attention.keys.rows() == 4);
  }
  PackedTokens other;  // another end
  other.clear();
  other.add(std::vector<std::int32_t>{2, 7, 11, 12});
  other.finish();
  const Matrix changed = model.decode(context, other).value();
  for (Index t = 0; t < 4; ++t)
    CHECK(std::equal(all.row(t), all.row(t) + all.cols, changed.row(t)) == (t < 2));
}
