#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <memory>

#include "models/text_classifier.hpp"
#include "support/error.hpp"

using namespace headwater;

namespace {

// Row A1 of the experiments; A2 with positions and another width.
ModelSettings row_a(Index width, const std::string& positions) {
  ModelSettings s;
  s.kind = "classifier";
  s.width = width;
  s.heads = 2;
  s.head_width = width;
  s.feed_forward_width = 32;
  s.positions = positions;
  s.length = 600;
  s.output_dropout = 0.5;
  return s;
}

Index parameters_in(const ModelSettings& settings) {
  const std::unique_ptr<TextClassifier> model = make_text_classifier(settings, 20'000);
  Index declared = 0, listed = 0;
  for (const auto& p : model->parameters().all()) declared += p->size();
  for (const LayerSummary& layer : model->summary()) listed += layer.parameters;
  CHECK(declared == listed);
  return declared;
}

ClassBatch batch_of(const std::vector<std::vector<std::int32_t>>& sequences, bool has_values) {
  ClassBatch batch;
  batch.clear();
  for (const auto& ids : sequences) {
    batch.add(ids);
    if (has_values) {
      for (const std::int32_t id : ids) batch.values.push_back(0.5f + 0.25f * static_cast<float>(id));
    }
  }
  batch.finish();
  return batch;
}

// Every kind of mixing, pooling and head, and the bag of words; small.
std::vector<ModelSettings> variants() {
  std::vector<ModelSettings> all;
  for (const char* mixing : {"attention", "fourier", "mlp"}) {
    for (const char* pooling : {"max", "mean", "first"}) {
      ModelSettings s = row_a(12, "learned");
      s.length = 9;
      s.head_width = 5;
      s.feed_forward_width = 7;
      s.encoder_layers = 2;
      s.norm = std::strcmp(pooling, "max") == 0 ? "post" : "pre";
      s.mixing = mixing;
      s.pooling = pooling;
      s.mixing_width = 5;
      s.head = std::strcmp(pooling, "mean") == 0 ? "softmax" : "sigmoid";
      s.classes = s.head == "softmax" ? 3 : 2;
      all.push_back(s);
    }
  }
  ModelSettings bag;
  bag.kind = "bag_of_words";
  bag.width = 6;
  all.push_back(bag);
  return all;
}

}  // namespace

TEST_CASE("classifiers: the parameters of the experiments, row by row") {
  CHECK(parameters_in(row_a(32, "none")) == 650'689);        // A1
  CHECK(parameters_in(row_a(256, "learned")) == 5'817'633);  // A2
  ModelSettings fourier = row_a(256, "learned");             // H: A2 without the four projections
  fourier.mixing = "fourier";
  CHECK(parameters_in(fourier) == 5'817'633 - (3 * (256 * 512 + 512) + 512 * 256 + 256));
  ModelSettings mlp = row_a(256, "learned");
  mlp.mixing = "mlp";
  mlp.mixing_width = 64;
  CHECK(parameters_in(mlp) == parameters_in(fourier) + 2 * 600 * 64 + 64 + 600);
  ModelSettings bag;
  bag.kind = "bag_of_words";
  bag.width = 16;
  CHECK(parameters_in(bag) == 20'000 * 16 + 16 + 16 + 1);
  bag.head = "softmax";
  bag.classes = 4;
  CHECK(parameters_in(bag) == 20'000 * 16 + 16 + 16 * 4 + 4);
}

TEST_CASE("classifiers: the probabilities of a sequence are the same bits alone and in any batch") {
  for (const ModelSettings& settings : variants()) {
    INFO(settings.kind, ", ", settings.mixing, ", ", settings.pooling, ", ", settings.head);
    const std::unique_ptr<TextClassifier> model = make_text_classifier(settings, 30);
    model->parameters().allocate(false);
    model->parameters().initialize(5);
    const std::vector<std::vector<std::int32_t>> sequences{{3, 4, 5}, {}, {29}, {1, 1, 1, 1, 7, 8, 9, 2, 2}};
    const bool has_values = settings.kind == "bag_of_words";
    Arena arena;
    Tape tape(arena, Tape::Mode::inference);
    const Matrix together = model->probabilities({tape}, batch_of(sequences, has_values));
    REQUIRE(together.rows == 4);
    REQUIRE(together.cols == settings.classes);
    for (Index s = 0; s < 4; ++s) {
      const Matrix alone =
          model->probabilities({tape}, batch_of({sequences[static_cast<std::size_t>(s)]}, has_values));
      CHECK(std::memcmp(alone.data, together.row(s),
                        sizeof(Real) * static_cast<std::size_t>(together.cols)) == 0);
      double sum = 0;
      for (Index c = 0; c < together.cols; ++c) {
        CHECK(together.row(s)[c] > 0);
        sum += static_cast<double>(together.row(s)[c]);
      }
      CHECK(sum == doctest::Approx(1).epsilon(1e-6));
    }
  }
}

TEST_CASE("classifiers: the loss is that of the probabilities") {
  for (const ModelSettings& settings : variants()) {
    const std::unique_ptr<TextClassifier> model = make_text_classifier(settings, 30);
    model->parameters().allocate(false);
    model->parameters().initialize(6);
    ClassBatch batch = batch_of({{3, 4, 5}, {29}, {}}, settings.kind == "bag_of_words");
    batch.labels = {1, 0, 1};
    Arena arena;
    Tape tape(arena, Tape::Mode::inference);
    const Matrix p = model->probabilities({tape}, batch);
    const kernels::CrossEntropyTotals totals = model->loss({tape}, batch, 0, 1);
    double loss = 0;
    for (Index s = 0; s < 3; ++s)
      loss -= std::log(static_cast<double>(p.row(s)[batch.labels[static_cast<std::size_t>(s)]]));
    CHECK(totals.loss == doctest::Approx(loss).epsilon(1e-5));
    CHECK(totals.tokens == 3);
  }
}

TEST_CASE("classifiers: a mixer refuses a sequence that is longer than its weights") {
  ModelSettings settings = variants()[6];
  REQUIRE(settings.mixing == "mlp");
  settings.positions = "none";
  const std::unique_ptr<TextClassifier> model = make_text_classifier(settings, 30);
  model->parameters().allocate(false);
  Arena arena;
  Tape tape(arena, Tape::Mode::inference);
  const ClassBatch batch = batch_of({std::vector<std::int32_t>(10, 3)}, false);
  CHECK_THROWS_WITH_AS(model->probabilities({tape}, batch),
                       "token mixing: a sequence of 10 tokens, more than the model's length 9", Error);
}
