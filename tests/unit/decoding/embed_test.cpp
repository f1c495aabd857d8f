// Vectors of texts: what they are made of, that they do not depend on their company, and cosines.
#include "decoding/embed.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "error_text.hpp"
#include "families/text_encoder/directory.hpp"
#include "support/error.hpp"
#include "text/learning/tokenizer_learner.hpp"

using namespace headwater;

namespace {

Tokenizer letters() {
  TokenizerLearner learner(WordTokenizerSettings{.text_template = TextTemplate::bert});
  learner.add("a b c d e f\n");
  return learner.finish();
}

TextEmbedderSettings settings() {
  TextEmbedderSettings s;
  s.transformer.width = 16;
  s.transformer.heads = 2;
  s.transformer.length = 12;
  s.encoder_layers = 3;
  s.segments = 2;
  s.embedding_norm = true;
  return s;
}

class States : public EncoderStates {
 public:
  explicit States(TextEmbedder& model, bool normalizes = false)
      : EncoderStates(model.encoder()), model_(model), normalizes_(normalizes) {}
  const Tokenizer& tokenizer() const override { return tokenizer_; }
  void source_ids(std::string_view text, SourceIds& found) const override {
    find_source_ids(tokenizer_, 2, length(), text, found);
  }
  Index length() const override { return model_.length(); }
  const Parameters& parameters() const override { return model_.parameters(); }
  bool normalizes() const override { return normalizes_; }

 private:
  const TextEmbedder& model_;
  Tokenizer tokenizer_ = letters();
  bool normalizes_;
};

struct Model {
  TextEmbedder model{settings(), 20};
  Model() {
    model.parameters().allocate(false);
    model.parameters().initialize(5);
  }
};

std::vector<Real> copy_of(ConstMatrix rows) { return {rows.data, rows.data + rows.rows * rows.cols}; }

const std::vector<std::string> kLines = {"a b c", "", "f e d c b a f e d c b a f", "a", "a b c", "d"};

}  // namespace

TEST_CASE_FIXTURE(Model, "vectors of lines do not depend on their company") {
  const States states(model);
  for (const ComputeType type : {ComputeType::float32, ComputeType::int8}) {
    TextEmbeddings embeddings(states, {.compute_type = type});
    const std::vector<Real> all = copy_of(embeddings.vectors(kLines).vectors);
    REQUIRE(all.size() == kLines.size() * 16);
    for (std::size_t i = 0; i < kLines.size(); ++i) {
      TextEmbeddings alone(states, {.compute_type = type});
      const std::vector<Real> one = copy_of(alone.vectors(std::span(kLines).subspan(i, 1)).vectors);
      CHECK(std::equal(one.begin(), one.end(), all.begin() + static_cast<std::ptrdiff_t>(i) * 16));
    }
    CHECK(embeddings.truncated_lines().count() == 1);
  }
}

TEST_CASE_FIXTURE(Model, "a line's vector is pooled of those of its tokens") {
  const States states(model);
  for (const std::optional<Index> layer :
       {std::optional<Index>(), std::optional<Index>(0), std::optional<Index>(2)}) {
    TextEmbeddings of_tokens(states, {.has_tokens = true, .layer = layer});
    const LineVectors tokens = of_tokens.vectors(kLines);
    REQUIRE(tokens.offsets.size() == kLines.size() + 1);
    CHECK(tokens.offsets[1] == 5);  // [CLS] a b c [SEP]
    CHECK(tokens.offsets[2] == 7);
    CHECK(std::ssize(tokens.ids) == tokens.vectors.rows);
    TextEmbeddings means(states, {.pooling = ops::Pooling::mean, .layer = layer}),
        firsts(states, {.pooling = ops::Pooling::first, .layer = layer}),
        largest(states, {.pooling = ops::Pooling::max, .layer = layer});
    const ConstMatrix mean = means.vectors(kLines).vectors, first = firsts.vectors(kLines).vectors,
                      most = largest.vectors(kLines).vectors;
    for (std::size_t line = 0; line < kLines.size(); ++line) {
      const auto row = static_cast<Index>(line);
      for (Index c = 0; c < 16; ++c) {
        double sum = 0, top = -1e9;
        for (Index t = tokens.offsets[line]; t < tokens.offsets[line + 1]; ++t) {
          sum += static_cast<double>(tokens.vectors.row(t)[c]);
          top = std::max(top, static_cast<double>(tokens.vectors.row(t)[c]));
        }
        const double count = static_cast<double>(tokens.offsets[line + 1] - tokens.offsets[line]);
        CHECK(static_cast<double>(mean.row(row)[c]) == doctest::Approx(sum / count).epsilon(1e-5));
        CHECK(static_cast<double>(most.row(row)[c]) == top);
        CHECK(first.row(row)[c] == tokens.vectors.row(tokens.offsets[line])[c]);
      }
    }
  }
}

TEST_CASE_FIXTURE(Model, "vectors of the length 1 where the model or the caller wants them") {
  for (const bool is_of_model : {false, true}) {
    const States states(model, is_of_model);
    TextEmbeddings embeddings(states, {.normalizes = !is_of_model});
    const ConstMatrix rows = embeddings.vectors(kLines).vectors;
    for (Index r = 0; r < rows.rows; ++r) {
      double squares = 0;
      for (Index c = 0; c < rows.cols; ++c) squares += static_cast<double>(rows.row(r)[c] * rows.row(r)[c]);
      CHECK(squares == doctest::Approx(1).epsilon(1e-6));
    }
  }
}

TEST_CASE_FIXTURE(Model, "bytes are near floats, and layers that are not there are refused") {
  const States states(model);
  TextEmbeddings floats(states, {}), bytes(states, {.compute_type = ComputeType::int8});
  const ConstMatrix a = floats.vectors(kLines).vectors, b = bytes.vectors(kLines).vectors;
  CHECK(copy_of(a) != copy_of(b));
  for (Index r = 0; r < a.rows; ++r) CHECK(cosine({a.row(r), 16}, {b.row(r), 16}) > 0.99);
  CHECK(error_text([&] { TextEmbeddings(states, {.layer = 4}); }) ==
        "--layer 4: the model has 3 layers (0: its embeddings)");
}

TEST_CASE("cosines, and rows of zeros") {
  std::vector<Real> rows = {3, 4, 0, 0};
  normalize_rows({rows.data(), 2, 2});
  CHECK(rows == std::vector<Real>{Real(0.6), Real(0.8), 0, 0});
  const std::vector<Real> a = {1, 0}, b = {1, 1}, zero = {0, 0}, minus = {-2, 0};
  CHECK(cosine(a, b) == doctest::Approx(std::sqrt(0.5)));
  CHECK(cosine(a, minus) == -1);
  CHECK(cosine(a, zero) == 0);
}
