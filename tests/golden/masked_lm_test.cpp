// Masked language models in BERT's layout against transformers (reference/bert, a BertForPreTraining).
#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <string>

#include "families/masked_lm/directory.hpp"
#include "reference_folder.hpp"
#include "tensor/kernels/attention/attention.hpp"

using namespace headwater;

namespace {

// The text that the figures are of, all of whose tokens are to be told.
MaskedBatch fully_masked(const Safetensors& expected, const std::string& number) {
  MaskedBatch batch;
  batch.clear();
  const std::vector<std::int32_t> ids = read_ids(expected.at("ids_" + number));
  std::vector<std::int32_t> places(ids.size());
  std::iota(places.begin(), places.end(), 0);
  batch.add(ids, places, ids);
  batch.segment_of = read_ids(expected.at("types_" + number));
  batch.is_random.push_back(0);
  batch.finish();
  return batch;
}

// `wanted`: [heads, queries, keys].
void check_weights(const AttentionOutput& attention, Index heads, const std::vector<float>& wanted) {
  const Variable q = attention.queries, k = attention.keys;
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

TEST_CASE("BERT's layout: hidden states, attention weights and both heads of a pretrained model agree") {
  const ModelFolder folder = open_model(reference_path("bert"));
  const std::unique_ptr<MaskedLanguageModel> model =
      masked_lm_of_config(folder.config, folder.config_path().string());
  load_weights(folder, model->parameters());
  REQUIRE(model->settings().next_sentence);
  const Safetensors expected{reference_path("bert/expected.safetensors")};
  const std::size_t layers = model->settings().encoder_layers;
  for (int example = 0; expected.find("ids_" + std::to_string(example)) != nullptr; ++example) {
    const std::string number = std::to_string(example);
    const auto figures = [&](const std::string& name) { return read_floats(expected.at(name)); };
    const MaskedBatch batch = fully_masked(expected, number);
    Arena arena;
    Tape tape(arena, Tape::Mode::inference);
    const ForwardContext context{tape};
    std::vector<AttentionTrace> traces;
    const Variable hidden = model->encode(context, batch, &traces);
    CHECK(distance(model->encoder().embed(context, batch.source, batch.segment_of).value(),
                   figures("hidden_" + number + "_0"))
              .absolute <= 1e-5);
    CHECK(distance(hidden.value(), figures("hidden_" + number + "_" + std::to_string(layers))).absolute <=
          1e-5);
    REQUIRE(traces.size() == layers);
    for (const AttentionTrace& trace : traces) {
      check_weights(trace.attention, model->settings().transformer.heads,
                    figures("attention_" + number + "_" + std::to_string(trace.layer)));
    }
    CHECK(distance(model->logits(context, model->masked_features(context, hidden, batch)).value(),
                   figures("mlm_logits_" + number))
              .absolute <= 1e-4);
    CHECK(
        distance(model->next_sentence_logits(context, hidden, batch).value(), figures("nsp_logits_" + number))
            .absolute <= 1e-5);
  }
}
