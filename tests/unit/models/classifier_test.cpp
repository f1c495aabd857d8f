#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "families/bag_of_words/model.hpp"
#include "families/classifier/model.hpp"
#include "families/linear_classifier/model.hpp"
#include "same_bits.hpp"
#include "support/error.hpp"
#include "support/random.hpp"
#include "unusual_mixing.hpp"

using namespace headwater;

namespace {

// imdb-encoder; imdb-encoder-positions has positions and another width.
ClassifierSettings row_a(Index width, Positions positions) {
  ClassifierSettings s;
  s.transformer.width = width;
  s.transformer.heads = 2;
  s.transformer.head_width = width;
  s.transformer.feed_forward_width = 32;
  s.transformer.positions = positions;
  s.transformer.length = 600;
  s.transformer.output_dropout = 0.5;
  return s;
}

template <class Model, class Settings>
Index parameters_in(const Settings& settings) {
  const Model model(settings, 20'000);
  Index declared = 0, listed = 0;
  for (const auto& p : model.parameters().all()) declared += p->size();
  for (const LayerSummary& layer : model.summary()) listed += layer.parameters;
  CHECK(declared == listed);
  return declared;
}

ClassBatch batch_of(const TextClassifier& model, const std::vector<std::vector<std::int32_t>>& sequences) {
  ClassBatch batch;
  batch.clear();
  for (const auto& ids : sequences) {
    batch.add(ids, model.padded_length(static_cast<Index>(ids.size())));
    if (model.reads_bags()) {
      for (const std::int32_t id : ids) batch.values.push_back(0.5f + 0.25f * static_cast<float>(id));
    }
  }
  batch.finish();
  return batch;
}

// Every kind of mixing, pooling, padding and head; small.
std::vector<ClassifierSettings> small_classifiers() {
  std::vector<ClassifierSettings> all;
  for (const MixerKind* const mixer : mixer_kinds()) {
    for (const ops::Pooling pooling :
         {ops::Pooling::max, ops::Pooling::mean, ops::Pooling::first, ops::Pooling::last}) {
      if (!mixer->encodes_texts) continue;
      ClassifierSettings s = row_a(12, Positions::learned);
      s.transformer.length = 9;
      s.transformer.head_width = 5;
      s.transformer.feed_forward_width = 7;
      s.transformer.norm = pooling == ops::Pooling::max ? NormPlacement::post : NormPlacement::pre;
      s.encoder_layers = 2;
      fit_heads(s.transformer, *mixer);
      s.mixing = {std::string(mixer->name), 5};
      s.mixing.bidirectional = s.mixing.is_recurrent() && pooling == ops::Pooling::mean;
      s.mixing.reset_after = pooling != ops::Pooling::max;
      s.pooling = pooling;
      s.head = pooling == ops::Pooling::mean ? ClassHeadSettings{HeadType::softmax, 3} : ClassHeadSettings{};
      all.push_back(s);
    }
  }
  for (const Padding padding : {Padding::attended, Padding::pooled}) {
    all.push_back(all.front());
    all.back().padding = padding;
  }
  all.push_back(all.front());
  all.back().segments = 2;
  all.back().embedding_norm = all.back().pooler = true;
  return all;
}

struct Variant {
  std::string name;
  std::unique_ptr<TextClassifier> model;
};

// The small classifiers, and a bag of words; of 30 words.
std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const ClassifierSettings& s : small_classifiers()) {
    all.push_back({s.mixing.mixing + ", " + std::string(name_of(s.pooling)) + ", padding " +
                       std::string(name_of(s.padding)) + ", " + std::string(name_of(s.head.head)),
                   std::make_unique<Classifier>(s, 30)});
  }
  all.push_back({"bag of words", std::make_unique<BagOfWords>(BagOfWordsSettings{.width = 6}, 30)});
  all.push_back({"linear", std::make_unique<LinearClassifier>(LinearClassifierSettings(), 30)});
  return all;
}

using Rows = std::vector<std::vector<double>>;

// One post-norm block of a model in double, token by token, as the papers write it and Keras computes it: of
// `length` positions those after the words hold padding, which attention gives no weight.
struct SlowClassifier {
  const Classifier& model;

  double at(const std::string& name, Index row, Index column) const {
    const Parameter* const p = model.parameters().find(name);
    REQUIRE(p != nullptr);
    return static_cast<double>(p->value.row(row)[column]);
  }
  std::vector<double> linear(const std::string& name, const std::vector<double>& x) const {
    std::vector<double> y;
    for (Index o = 0; o < model.parameters().find(name + ".weight")->value.cols; ++o) {
      double sum = at(name + ".bias", 0, o);
      for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * at(name + ".weight", static_cast<Index>(i), o);
      y.push_back(sum);
    }
    return y;
  }
  std::vector<double> norm_of_sum(const std::string& name, std::vector<double> x,
                                  const std::vector<double>& z) const {
    double mean = 0, variance = 0;
    const double n = static_cast<double>(x.size());
    for (std::size_t c = 0; c < x.size(); ++c) mean += (x[c] += z[c]) / n;
    for (const double v : x) variance += (v - mean) * (v - mean) / n;
    for (std::size_t c = 0; c < x.size(); ++c) {
      const auto column = static_cast<Index>(c);
      x[c] = (x[c] - mean) / std::sqrt(variance + model.settings().transformer.norm_epsilon) *
                 at(name + ".gamma", 0, column) +
             at(name + ".beta", 0, column);
    }
    return x;
  }
  // The largest of each column over all positions.
  std::vector<double> pooled(const std::vector<std::int32_t>& words) const {
    const TransformerSettings& s = model.settings().transformer;
    const std::string block = "encoder.0.", attention = block + "self_attention.";
    Rows x, q, k, v;
    for (Index t = 0; t < s.length; ++t) {
      const bool is_word = t < static_cast<Index>(words.size());
      std::vector<double> row;
      for (Index c = 0; c < s.width; ++c) {
        row.push_back(at("embedding.tokens", is_word ? words[t] : 0, c) + at("embedding.positions", t, c));
      }
      q.push_back(linear(attention + "query", row));
      k.push_back(linear(attention + "key", row));
      v.push_back(linear(attention + "value", row));
      x.push_back(row);
    }
    std::vector<double> largest(s.width, -1e300);
    const std::size_t width = s.head_width;
    for (std::size_t t = 0; t < x.size(); ++t) {
      std::vector<double> mixed(width * static_cast<std::size_t>(s.heads));
      for (std::size_t first = 0; first < mixed.size(); first += width) {
        std::vector<double> weights;
        double sum = 0;
        for (std::size_t u = 0; u < x.size(); ++u) {
          double score = u < words.size() ? 0 : -1e9;  // Keras' mask
          for (std::size_t c = first; c < first + width; ++c)
            score += q[t][c] * k[u][c] / std::sqrt(static_cast<double>(width));
          weights.push_back(std::exp(score));
          sum += weights.back();
        }
        for (std::size_t u = 0; u < x.size(); ++u) {
          for (std::size_t c = first; c < first + width; ++c) mixed[c] += weights[u] / sum * v[u][c];
        }
      }
      const std::vector<double> z =
          norm_of_sum(block + "self_attention_norm", x[t], linear(attention + "output", mixed));
      std::vector<double> inner = linear(block + "feed_forward.inner", z);
      for (double& value : inner) value = std::max(value, 0.0);
      const std::vector<double> hidden =
          norm_of_sum(block + "feed_forward_norm", z, linear(block + "feed_forward.outer", inner));
      for (std::size_t c = 0; c < hidden.size(); ++c) largest[c] = std::max(largest[c], hidden[c]);
    }
    return largest;
  }
};

// A model whose numbers are far from those of the initializer, so that biases and norms show as well.
void spread_parameters(Parameters& parameters) {
  for (std::size_t i = 0; i < parameters.values().size(); ++i)
    parameters.values()[i] = 2 * random_uniform({.seed = 3}, i) - 1;
}

}  // namespace

TEST_CASE("classifiers: the parameters of the experiments, row by row") {
  const auto of_classifier = [](const ClassifierSettings& s) { return parameters_in<Classifier>(s); };
  CHECK(of_classifier(row_a(32, Positions::none)) == 650'689);        // A1
  CHECK(of_classifier(row_a(256, Positions::learned)) == 5'817'633);  // A2
  ClassifierSettings fourier = row_a(256, Positions::learned);        // H: A2 without the four projections
  fourier.mixing.mixing = "fourier";
  CHECK(of_classifier(fourier) == 5'817'633 - (3 * (256 * 512 + 512) + 512 * 256 + 256));
  ClassifierSettings mlp = row_a(256, Positions::learned);
  mlp.mixing = {"mlp", 64};
  CHECK(of_classifier(mlp) == of_classifier(fourier) + 2 * 600 * 64 + 64 + 600);
  ClassifierSettings lstm = row_a(32, Positions::none);
  lstm.mixing.mixing = "lstm";
  CHECK(of_classifier(lstm) == 20'000 * 32 + 4 * (32 * 32 + 32 * 32 + 32) + 33);
  CHECK(of_classifier(lstm) == 648'353);
  lstm.mixing.bidirectional = true;
  CHECK(of_classifier(lstm) == 648'353 + 8'320);
  ClassifierSettings gru = row_a(32, Positions::none);
  gru.mixing.mixing = "gru";
  CHECK(of_classifier(gru) == 640'033 + 3 * (32 * 32 + 32 * 32 + 2 * 32));
  gru.mixing.reset_after = false;
  CHECK(of_classifier(gru) == 640'033 + 3 * (32 * 32 + 32 * 32 + 32));
  BagOfWordsSettings bag{.width = 16};
  CHECK(parameters_in<BagOfWords>(bag) == 20'000 * 16 + 16 + 16 + 1);
  bag.head = {HeadType::softmax, 4};
  CHECK(parameters_in<BagOfWords>(bag) == 20'000 * 16 + 16 + 16 * 4 + 4);
}

TEST_CASE("classifiers: the probabilities of a sequence are the same bits alone and in any batch") {
  for (const auto& [name, model] : variants()) {
    INFO(name);
    model->parameters().allocate(false);
    model->parameters().initialize(5);
    const std::vector<std::vector<std::int32_t>> sequences{{3, 4, 5}, {}, {29}, {1, 1, 1, 1, 7, 8, 9, 2, 2}};
    Arena arena;
    Tape tape(arena, Tape::Mode::inference);
    const Matrix together = model->probabilities({tape}, batch_of(*model, sequences));
    REQUIRE(together.rows == 4);
    REQUIRE(together.cols == model->classes());
    for (Index s = 0; s < 4; ++s) {
      const Matrix alone = model->probabilities({tape}, batch_of(*model, {sequences[s]}));
      CHECK(same_bits(alone, {together.row(s), 1, together.cols}));
      double sum = 0;
      for (Index c = 0; c < together.cols; ++c) {
        CHECK(together.row(s)[c] > 0);
        sum += static_cast<double>(together.row(s)[c]);
      }
      CHECK(sum == doctest::Approx(1).epsilon(1e-6));
    }
  }
}

TEST_CASE("classifiers: padding that is pooled asks, and is not attended to") {
  ClassifierSettings settings = small_classifiers().front();
  settings.encoder_layers = 1;
  Classifier packed(settings, 30);
  packed.parameters().allocate(false);
  spread_parameters(packed.parameters());
  settings.padding = Padding::pooled;
  Classifier model(settings, 30);
  model.parameters().allocate(false);
  spread_parameters(model.parameters());
  Arena arena;
  Tape tape(arena, Tape::Mode::inference);
  const std::vector<std::vector<std::int32_t>> sequences{{3, 4, 5}, {}, {29}, {1, 1, 1, 1, 7, 8, 9, 2, 2}};
  const Matrix features = model.features({tape}, batch_of(model, sequences)).value();
  const Matrix of_words = packed.features({tape}, batch_of(packed, sequences)).value();
  bool padding_shows = false;
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    INFO("sequence ", s);
    const Real* const row = features.row(static_cast<Index>(s));
    const Real* const words = of_words.row(static_cast<Index>(s));
    if (sequences[s].empty()) {
      for (Index c = 0; c < settings.transformer.width; ++c) CHECK(row[c] == 0);
      continue;
    }
    const std::vector<double> expected = SlowClassifier{model}.pooled(sequences[s]);
    for (Index c = 0; c < settings.transformer.width; ++c) {
      CHECK(static_cast<double>(row[c]) == doctest::Approx(expected[c]).epsilon(1e-5));
      CHECK(row[c] >= words[c]);  // what the words have, they have as if there were no padding
      padding_shows = padding_shows || row[c] > words[c];
      if (static_cast<Index>(sequences[s].size()) == settings.transformer.length) CHECK(row[c] == words[c]);
    }
  }
  CHECK(padding_shows);
}

TEST_CASE(
    "classifiers: a token of a pair's second text has the other segment's vector, padding the first's") {
  ClassifierSettings settings = small_classifiers().front();
  settings.encoder_layers = 0;
  settings.pooling = ops::Pooling::mean;
  settings.segments = 2;
  settings.padding = Padding::attended;
  Classifier model(settings, 30);
  model.parameters().allocate(false);
  spread_parameters(model.parameters());
  const Parameter& segments = *model.parameters().find("embedding.segments");
  Arena arena;
  Tape tape(arena, Tape::Mode::inference);
  const std::vector<std::int32_t> ids{3, 4, 5, 6};
  ClassBatch pairs;
  pairs.clear();
  pairs.add_pair(ids, 1, settings.transformer.length);
  pairs.add_pair(ids, 4, settings.transformer.length);
  pairs.finish();
  const Matrix of_pairs = model.features({tape}, pairs).value();
  const Matrix alone = model.features({tape}, batch_of(model, {ids})).value();
  for (Index c = 0; c < settings.transformer.width; ++c) {
    const Real difference = segments.value.row(1)[c] - segments.value.row(0)[c];
    CHECK(of_pairs.row(1)[c] == alone.row(0)[c]);
    CHECK(of_pairs.row(0)[c] - alone.row(0)[c] ==
          doctest::Approx(3 * difference / static_cast<Real>(settings.transformer.length)).epsilon(1e-4));
  }
}

TEST_CASE("classifiers: the loss is that of the probabilities") {
  for (const auto& [name, model] : variants()) {
    INFO(name);
    model->parameters().allocate(false);
    model->parameters().initialize(6);
    ClassBatch batch = batch_of(*model, {{3, 4, 5}, {29}, {}});
    batch.labels = {1, 0, 1};
    Arena arena;
    Tape tape(arena, Tape::Mode::inference);
    const Matrix p = model->probabilities({tape}, batch);
    const kernels::CrossEntropyTotals totals = model->loss({tape}, batch, 0, 1);
    double loss = 0;
    for (Index s = 0; s < 3; ++s) loss -= std::log(static_cast<double>(p.row(s)[batch.labels[s]]));
    CHECK(totals.loss == doctest::Approx(loss).epsilon(1e-5));
    CHECK(totals.tokens == 3);
  }
}

TEST_CASE("classifiers: a mixer refuses a sequence that is longer than its weights") {
  ClassifierSettings settings = small_classifiers()[0];
  settings.mixing = {.mixing = "mlp", .mixing_width = 5};
  settings.transformer.positions = Positions::none;
  Classifier model(settings, 30);
  model.parameters().allocate(false);
  Arena arena;
  Tape tape(arena, Tape::Mode::inference);
  const ClassBatch batch = batch_of(model, {std::vector<std::int32_t>(10, 3)});
  CHECK_THROWS_WITH_AS(model.probabilities({tape}, batch),
                       "token mixing: a sequence of 10 tokens, more than the model's length 9", Error);
}
