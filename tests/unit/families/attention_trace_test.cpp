#include "families/attention_trace.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "families/classifier/directory.hpp"
#include "families/language_model/directory.hpp"
#include "families/translator/directory.hpp"
#include "support/error.hpp"
#include "word_tokenizer.hpp"

using namespace headwater;

namespace {

std::unique_ptr<AttentionTracer> small_tracer() {
  EncoderDecoderSettings settings;
  settings.transformer.width = 8;
  settings.transformer.heads = 2;
  settings.transformer.feed_forward_width = 12;
  settings.encoder_layers = 1;
  settings.decoder_layers = 2;
  settings.transformer.length = 5;
  const Tokenizer tokenizer = Tokenizer::parse(kWordTokenizer, "tokenizer");
  LoadedTranslator model{{}, tokenizer, tokenizer, std::make_unique<EncoderDecoder>(settings, 7, 7)};
  model.model->parameters().allocate(false);
  model.model->parameters().initialize(5);
  return attention_tracer(std::move(model));
}

AttentionExample small_example() {
  return {.number = 3,
          .source_ids = {4, 5, 1},
          .source_tokens = {"a", "b", "x"},
          .target_ids = {2, 6},
          .target_tokens = {"[START]", "c"},
          .suppress_tokens = {0, 1, 2}};
}

}  // namespace

TEST_CASE("every layer, head and kind, with tokens; rows sum to 1 and look at nothing to come") {
  const std::unique_ptr<AttentionTracer> tracer = small_tracer();
  Arena arena;
  const std::vector<AttentionRecord> records = tracer->trace(arena, small_example(), {});
  REQUIRE(records.size() == 2 + 4 + 4);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const AttentionRecord& r = records[i];
    INFO("record ", i);
    CHECK(r.weights.size() == r.queries() * r.keys());
    CHECK(r.example == 3);
    CHECK(r.kind == (i < 2 ? AttentionKind::encoder : i < 6 ? AttentionKind::decoder : AttentionKind::cross));
    CHECK(r.head == static_cast<std::int64_t>(i % 2));
    CHECK(r.layer == (i < 2 ? 0 : static_cast<std::int64_t>((i - 2) % 4 / 2)));
    CHECK(r.queries() == (i < 2 ? 3 : 2));
    CHECK(r.keys() == (i < 2 || i >= 6 ? 3 : 2));
    CHECK(r.predicts.size() == (i < 2 ? 0 : 2));
    for (std::size_t q = 0; q < r.queries(); ++q) {
      double sum = 0;
      for (std::size_t k = 0; k < r.keys(); ++k) {
        const float weight = r.weights[q * r.keys() + k];
        CHECK(weight >= 0);
        if (r.kind == AttentionKind::decoder && k > q) CHECK(weight == 0);
        sum += static_cast<double>(weight);
      }
      CHECK(std::abs(sum - 1) < 1e-5);
    }
    for (const std::string& token : r.predicts)
      CHECK((token == "[END]" || token == "a" || token == "b" || token == "c"));
  }
  CHECK(arena.used() == 0);
}

TEST_CASE("a choice gives the same weights as all of them") {
  const std::unique_ptr<AttentionTracer> tracer = small_tracer();
  Arena arena;
  const std::vector<AttentionRecord> all = tracer->trace(arena, small_example(), {});
  const std::vector<AttentionRecord> one =
      tracer->trace(arena, small_example(), {.layer = 1, .head = 0, .kind = AttentionKind::cross});
  REQUIRE(one.size() == 1);
  CHECK(one[0].weights == all[8].weights);
  CHECK(one[0].key_tokens == std::vector<std::string>{"a", "b", "x"});
  CHECK(one[0].query_tokens == std::vector<std::string>{"[START]", "c"});
}

TEST_CASE("examples that are read at once have the records that they have alone") {
  const std::unique_ptr<AttentionTracer> tracer = small_tracer();
  Arena arena;
  std::vector<AttentionExample> examples(3, small_example());
  examples[1] = {.number = 4,
                 .source_ids = {6},
                 .source_tokens = {"c"},
                 .target_ids = {2, 5, 4, 6, 6},
                 .target_tokens = {"[START]", "b", "a", "c", "c"},
                 .suppress_tokens = {5}};
  examples[2].number = 5;
  for (const bool has_predictions : {true, false}) {
    const AttentionSelection selection{.has_predictions = has_predictions};
    std::vector<std::vector<AttentionRecord>> together;
    tracer->visit(arena, examples, selection,
                  [&](std::size_t, const AttentionHeads& heads) { together.push_back(heads.records()); });
    REQUIRE(together.size() == examples.size());
    for (std::size_t i = 0; i < examples.size(); ++i) {
      INFO("example ", i);
      const std::vector<AttentionRecord> alone = tracer->trace(arena, examples[i], {});
      REQUIRE(together[i].size() == alone.size());
      for (std::size_t k = 0; k < alone.size(); ++k) {
        const AttentionRecord &a = together[i][k], &b = alone[k];
        CHECK(a.example == examples[i].number);
        CHECK(a.query_tokens == b.query_tokens);
        CHECK(a.key_tokens == b.key_tokens);
        CHECK(a.weights == b.weights);
        CHECK(a.predicts == (has_predictions ? b.predicts : std::vector<std::string>()));
      }
    }
  }
  CHECK(arena.used() == 0);
}

// A query of a language model sees no later token, so that a shorter text, whose head comes in one piece, has
// the same rows.
TEST_CASE("rows of a head that come in pieces are those of the whole head") {
  constexpr std::size_t kLong = 900, kShort = 400;
  for (const std::int64_t window : {0, 300}) {
    LanguageModelSettings settings;
    settings.transformer.width = 8;
    settings.transformer.heads = 2;
    settings.transformer.feed_forward_width = 12;
    settings.transformer.length = kLong;
    settings.transformer.attention_window = window;
    LoadedLanguageModel model{
        {}, Tokenizer::parse(kWordTokenizer, "tokenizer"), std::make_unique<LanguageModel>(settings, 7)};
    model.model->parameters().allocate(false);
    model.model->parameters().initialize(5);
    const std::unique_ptr<AttentionTracer> tracer = attention_tracer(std::move(model));
    AttentionExample text;
    for (std::size_t i = 0; i < kLong; ++i) text.source_ids.push_back(static_cast<std::int32_t>(i * i % 7));
    text.source_tokens.assign(kLong, "a");
    AttentionExample begin = text;
    begin.source_ids.resize(kShort);
    begin.source_tokens.resize(kShort);
    Arena arena;
    const AttentionRecord all = tracer->trace(arena, text, {.head = 1}).at(0),
                          some = tracer->trace(arena, begin, {.head = 1}).at(0);
    REQUIRE(all.weights.size() == kLong * kLong);
    std::size_t different = 0;
    for (std::size_t q = 0; q < kLong; ++q) {
      double sum = 0;
      for (std::size_t k = 0; k < kLong; ++k) {
        const float weight = all.weights[q * kLong + k];
        sum += static_cast<double>(weight);
        const bool is_seen = k <= q && (window == 0 || q - k < static_cast<std::size_t>(window));
        different += is_seen == (weight > 0) ? 0 : 1;
        if (q < kShort && k < kShort && weight != some.weights[q * kShort + k]) ++different;
      }
      CHECK(sum == doctest::Approx(1).epsilon(1e-5));
    }
    CHECK(different == 0);
    std::size_t pieces = 0;
    tracer->visit(arena, {&text, 1}, {.head = 1}, [&](std::size_t, const AttentionHeads& heads) {
      heads.for_each_rows(0, [&](std::size_t query, std::span<const float> weights) {
        CHECK(query + weights.size() / kLong <= kLong);
        CHECK(weights.size() <= std::size_t{1} << 18);
        ++pieces;
      });
    });
    CHECK(pieces > 2);
  }
}

TEST_CASE("padding that is pooled is a query and no key; padding that is attended to is both") {
  for (const bool pools : {false, true}) {
    ClassifierSettings settings;
    settings.transformer.width = 8;
    settings.transformer.heads = 2;
    settings.transformer.feed_forward_width = 12;
    settings.transformer.length = 5;
    settings.padding = pools ? Padding::pooled : Padding::attended;
    LoadedClassifier model{{},
                           Tokenizer::parse(kWordTokenizer, "tokenizer"),
                           std::nullopt,
                           LabelSet::parse("neg\npos\n", "labels"),
                           model_section(settings),
                           std::make_unique<Classifier>(settings, 7)};
    model.model->parameters().allocate(false);
    model.model->parameters().initialize(5);
    Arena arena;
    const std::vector<AttentionRecord> all =
        attention_tracer(std::move(model))->trace(arena, small_example(), {});
    REQUIRE(all.size() == 2);
    for (const AttentionRecord& r : all) {
      CHECK(r.query_tokens == std::vector<std::string>{"a", "b", "x", "[PAD]", "[PAD]"});
      CHECK(r.key_tokens == (pools ? std::vector<std::string>{"a", "b", "x"} : r.query_tokens));
      REQUIRE(r.weights.size() == r.queries() * r.keys());
      for (std::size_t q = 0; q < r.queries(); ++q) {
        double sum = 0;
        for (std::size_t k = 0; k < r.keys(); ++k) sum += static_cast<double>(r.weights[q * r.keys() + k]);
        CHECK(std::abs(sum - 1) < 1e-5);
      }
    }
  }
}

TEST_CASE("layers and heads that are not there") {
  const std::unique_ptr<AttentionTracer> tracer = small_tracer();
  tracer->check({.layer = 1, .head = 1});
  CHECK_THROWS_WITH_AS(tracer->check({.layer = 2}), doctest::Contains("the model has 2 layers"), UsageError);
  CHECK_THROWS_WITH_AS(tracer->check({.layer = 1, .kind = AttentionKind::encoder}),
                       doctest::Contains("the model has 1 layer (they count from 0)"), UsageError);
  CHECK_THROWS_AS(tracer->check({.head = 2}), UsageError);
  CHECK_THROWS_AS(tracer->check({.head = -1}), UsageError);
}
