// Encoders of texts in the layouts of DistilBERT and RoBERTa against transformers: hidden states, attention
// weights, logits.
#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "families/classifier/directory.hpp"
#include "families/masked_lm/directory.hpp"
#include "families/text_encoder/directory.hpp"
#include "reference_folder.hpp"
#include "tensor/kernels/attention/attention.hpp"

using namespace headwater;

namespace {

ClassBatch batch_of(const std::vector<std::int32_t>& ids) {
  ClassBatch batch;
  batch.clear();
  batch.add(ids);
  batch.finish();
  return batch;
}

void check_attention(const AttentionTrace& trace, Index heads, const std::vector<float>& wanted) {
  const Variable q = trace.attention.queries, k = trace.attention.keys;
  const kernels::AttentionShape shape{
      .query_offsets = q.packing().offsets,
      .key_offsets = k.packing().offsets,
      .heads = heads,
      .head_width = q.cols() / heads,
      .scale = static_cast<Real>(1 / std::sqrt(static_cast<double>(q.cols() / heads)))};
  const Index size = q.rows() * k.rows();
  REQUIRE(wanted.size() == static_cast<std::size_t>(heads * size));
  std::vector<Real> storage(size);
  const Matrix weights(storage.data(), q.rows(), k.rows());
  for (Index head = 0; head < heads; ++head) {
    kernels::attention_weights(q.value(), k.value(), shape, 0, head, weights);
    const auto first = wanted.begin() + head * size;
    CHECK(distance(weights, {first, first + size}).absolute <= 1e-5);
  }
}

}  // namespace

TEST_CASE("DistilBERT's and RoBERTa's layouts: hidden states and attention weights agree") {
  for (const char* name : {"distilbert", "roberta"}) {
    INFO(name);
    const ModelFolder folder = open_model(path_made_here(name));
    const std::unique_ptr<TextEmbedder> model =
        text_embedder_of_config(folder.config, folder.config_path().string());
    load_weights(folder, model->parameters());
    const Safetensors expected{path_made_here(name) / "expected.safetensors"};
    const ClassBatch batch = batch_of(read_ids(expected.at("ids")));
    Arena arena;
    Tape tape(arena, Tape::Mode::inference);
    std::vector<AttentionTrace> traces;
    const Variable hidden = model->encoder()({tape}, batch.source, batch.segment_of, batch.words, &traces);
    CHECK(distance(hidden.value(), read_floats(expected.at("hidden"))).absolute <= 1e-5);
    REQUIRE(traces.size() == 2);
    for (const AttentionTrace& trace : traces) {
      check_attention(trace, model->settings().transformer.heads,
                      read_floats(expected.at("attention_" + std::to_string(trace.layer))));
    }
  }
}

TEST_CASE("DistilBERT's and RoBERTa's layouts: the logits of a classifier agree") {
  for (const char* name : {"distilbert-classifier", "roberta-classifier"}) {
    INFO(name);
    const ModelFolder folder = open_model(path_made_here(name));
    const std::unique_ptr<TextClassifier> model =
        classifier_of_config(folder.config, folder.config_path().string());
    load_weights(folder, model->parameters());
    const Safetensors expected{path_made_here(name) / "expected.safetensors"};
    const ClassBatch batch = batch_of(read_ids(expected.at("ids")));
    Arena arena;
    Tape tape(arena, Tape::Mode::inference);
    const ForwardContext context{tape};
    const Variable logits = model->head().logits(context, model->features(context, batch));
    CHECK(model->classes() == 3);
    CHECK(distance(logits.value(), read_floats(expected.at("logits"))).absolute <= 1e-5);
  }
}

TEST_CASE("DistilBERT's and RoBERTa's layouts: the logits of a masked language model agree") {
  for (const char* name : {"distilbert-masked-lm", "roberta-masked-lm"}) {
    INFO(name);
    const ModelFolder folder = open_model(path_made_here(name));
    const std::unique_ptr<MaskedLanguageModel> model =
        masked_lm_of_config(folder.config, folder.config_path().string());
    load_weights(folder, model->parameters());
    const Safetensors expected{path_made_here(name) / "expected.safetensors"};
    const std::vector<std::int32_t> ids = read_ids(expected.at("ids"));
    std::vector<std::int32_t> places(ids.size());
    std::iota(places.begin(), places.end(), 0);
    MaskedBatch batch;
    batch.clear();
    batch.add(ids, places, ids);
    batch.finish();
    Arena arena;
    Tape tape(arena, Tape::Mode::inference);
    const ForwardContext context{tape};
    const Variable hidden = model->encode(context, batch);
    CHECK(distance(hidden.value(), read_floats(expected.at("hidden"))).absolute <= 1e-5);
    const Variable features = model->masked_features(context, hidden, batch);
    CHECK(distance(model->logits(context, features).value(), read_floats(expected.at("logits"))).absolute <=
          1e-4);
  }
}
