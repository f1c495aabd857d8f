#include "families/masked_lm/model.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "families/classifier/model.hpp"

using namespace headwater;

namespace {

MaskedLmSettings small() {
  MaskedLmSettings settings;
  settings.transformer.width = 8;
  settings.transformer.heads = 2;
  settings.transformer.feed_forward_width = 12;
  settings.transformer.length = 6;
  settings.transformer.activation = ops::Activation::gelu;
  settings.encoder_layers = 2;
  settings.segments = 2;
  settings.embedding_norm = true;
  return settings;
}

// Two texts with three masked tokens, and one without.
MaskedBatch three_texts() {
  MaskedBatch batch;
  batch.clear();
  batch.add(std::vector<std::int32_t>{2, 4, 4, 9, 3}, std::vector<std::int32_t>{1, 2},
            std::vector<std::int32_t>{7, 8});
  batch.add(std::vector<std::int32_t>{2, 10, 3}, {}, {});
  batch.add(std::vector<std::int32_t>{2, 11, 4, 3}, std::vector<std::int32_t>{2},
            std::vector<std::int32_t>{12});
  batch.segment_of.assign(batch.source.ids.size(), 0);
  batch.is_random = {0, 1, 1};
  batch.before = {0, 0, 9};
  batch.after = {3, 3, 11};
  batch.place = {0, 1, 0};
  batch.finish();
  return batch;
}

// The loss of one row of logits.
double cross_entropy(const Matrix& logits, Index row, std::int32_t label) {
  double total = 0;
  for (Index c = 0; c < logits.cols; ++c) total += std::exp(static_cast<double>(logits.row(row)[c]));
  return std::log(total) - static_cast<double>(logits.row(row)[label]);
}

}  // namespace

TEST_CASE("masked language model: the losses are the cross-entropy of its logits") {
  MaskedLmSettings settings = small();
  settings.next_sentence = true;
  MaskedLanguageModel model(settings, 13);
  model.parameters().allocate(false);
  model.parameters().initialize(4);
  const MaskedBatch batch = three_texts();
  Arena arena;
  Tape tape(arena, Tape::Mode::inference);
  const ForwardContext context{tape};
  const MaskedLmTotals totals = model.loss(context, batch, {});
  const Variable hidden = model.encode(context, batch);
  const Matrix words = model.logits(context, model.masked_features(context, hidden, batch)).value(),
               pairs = model.next_sentence_logits(context, hidden, batch).value();
  REQUIRE(words.rows == 3);
  REQUIRE(words.cols == 13);
  REQUIRE(pairs.rows == 3);
  REQUIRE(pairs.cols == 2);
  double of_words = 0, of_pairs = 0;
  for (Index i = 0; i < 3; ++i) {
    of_words += cross_entropy(words, i, batch.labels[i]);
    of_pairs += cross_entropy(pairs, i, batch.is_random[i]);
  }
  CHECK(totals.masked.loss == doctest::Approx(of_words).epsilon(1e-5));
  CHECK(totals.masked.tokens == 3);
  CHECK(totals.next_sentence.loss == doctest::Approx(of_pairs).epsilon(1e-5));
  CHECK(totals.next_sentence.tokens == 3);
  CHECK(totals.span_boundary.tokens == 0);
}

TEST_CASE("masked language model: the boundary of a span does not see what is hidden in it") {
  MaskedLmSettings settings = small();
  settings.span_boundary = true;
  MaskedLanguageModel model(settings, 13);
  model.parameters().allocate(false);
  model.parameters().initialize(4);
  MaskedBatch batch = three_texts();
  Arena arena;
  Tape tape(arena, Tape::Mode::inference);
  const MaskedLmTotals totals = model.loss({tape}, batch, {});
  CHECK(totals.span_boundary.tokens == 3);
  CHECK(totals.span_boundary.loss > 0);
  // The place in the span matters, as it stands.
  batch.place = {0, 0, 0};
  CHECK(model.loss({tape}, batch, {}).span_boundary.loss != totals.span_boundary.loss);
  CHECK(model.loss({tape}, batch, {}).masked.loss == totals.masked.loss);
}

TEST_CASE("masked language model: a batch without masked tokens has no loss") {
  MaskedLanguageModel model(small(), 13);
  model.parameters().allocate(false);
  model.parameters().initialize(4);
  MaskedBatch batch;
  batch.clear();
  batch.add(std::vector<std::int32_t>{2, 3}, {}, {});
  batch.finish();
  Arena arena;
  Tape tape(arena, Tape::Mode::inference);
  const MaskedLmTotals totals = model.loss({tape}, batch, {});
  CHECK(totals.masked.loss == 0);
  CHECK(totals.masked.tokens == 0);
}

TEST_CASE("masked language model: a classifier's encoder and pooler have the same names and shapes") {
  MaskedLmSettings settings = small();
  settings.next_sentence = true;
  MaskedLanguageModel model(settings, 13);
  ClassifierSettings classifier_settings;
  static_cast<TextEncoderSettings&>(classifier_settings) = settings;
  classifier_settings.pooler = true;
  Classifier classifier(classifier_settings, 13);
  std::set<std::string> left;
  for (const auto& p : classifier.parameters().all()) {
    const Parameter* const same = model.parameters().find(p->name);
    if (same == nullptr) {
      left.insert(p->name);
      continue;
    }
    CHECK(same->shape == p->shape);
  }
  CHECK(left == std::set<std::string>{"head.bias", "head.weight"});
}

TEST_CASE("the rows of a masked language model's table add up to all parameters") {
  for (const bool has_all : {false, true}) {
    MaskedLmSettings settings = small();
    settings.next_sentence = settings.span_boundary = has_all;
    MaskedLanguageModel model(settings, 13);
    model.parameters().allocate(false);
    Index sum = 0;
    for (const LayerSummary& row : model.summary()) {
      CHECK((row.flops > 0) == (row.name != "embedding"));
      sum += row.parameters;
    }
    CHECK(sum == model.parameters().size());
  }
}

TEST_CASE("masked tokens of a batch are counted from its first token") {
  MaskedBatch batch;
  batch.clear();
  const std::int32_t first[] = {2, 9, 4, 3}, second[] = {2, 4, 4, 8, 3};
  const std::int32_t places_of_first[] = {2}, were_in_first[] = {7};
  const std::int32_t places_of_second[] = {1, 2}, were_in_second[] = {5, 6};
  batch.add(first, places_of_first, were_in_first);
  batch.add(first, {}, {});
  batch.add(second, places_of_second, were_in_second);
  batch.finish();
  CHECK(batch.source.offsets == std::vector<Index>{0, 4, 8, 13});
  CHECK(batch.masked.tokens == std::vector<std::int32_t>{2, 9, 10});
  CHECK(batch.masked.offsets == std::vector<Index>{0, 1, 1, 3});
  CHECK(batch.labels == std::vector<std::int32_t>{7, 5, 6});
  CHECK(batch.masked.plan.rows == 3);
  CHECK(batch.rows.offsets == std::vector<Index>{0, 1, 2, 3});
}

TEST_CASE("a part of a masked batch knows how many tokens stand before it") {
  MaskedBatch batch;
  batch.clear();
  const std::int32_t ids[] = {2, 4, 3}, places[] = {1}, were[] = {7};
  batch.skip(3, 1);
  batch.add(ids, places, were);
  batch.finish(BatchPart{1, 2, 2});
  CHECK(batch.source.first_token == 3);
  CHECK(batch.masked.first_token == 1);
  CHECK(batch.rows.first_token == 1);
}
