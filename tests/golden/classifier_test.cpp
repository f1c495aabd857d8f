// Classifiers against Keras (reference/keras/encoder-padding-kept and encoder-positions): logits, loss,
// gradients, attention and five steps of each optimizer. Sizes and settings are read from the files, so that
// others of the same layout serve as well.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "families/classifier/model.hpp"
#include "keras_model.hpp"

using namespace headwater;

namespace {

ClassifierSettings settings_of(const Safetensors& file) {
  const Json json = reference_settings(file);
  const auto shape = [&](const std::string& name) { return file.at("weights/" + name).shape; };
  ClassifierSettings settings;
  settings.transformer.width = shape("head/kernel")[0];
  settings.transformer.heads = json.at("heads").as_integer();
  settings.transformer.head_width = json.at("key_size").as_integer();
  settings.transformer.feed_forward_width = shape("encoder/ff_1/kernel")[1];
  settings.transformer.norm_epsilon = json.at("norm_epsilon").as_number();
  settings.transformer.positions = Positions::none;
  for (const TensorView& tensor : file.tensors()) {
    if (tensor.name == "weights/embedding/positions/embeddings") {
      settings.transformer.positions = Positions::learned;
      settings.transformer.length = tensor.shape[0];
    }
  }
  if (settings.transformer.positions == Positions::none) {
    settings.transformer.length = file.at("inputs/ids").shape[1];
    settings.padding = Padding::attended;
  }
  return settings;
}

struct Model {
  Safetensors file;
  Classifier model;
  Arena arena;

  explicit Model(const std::string& name)
      : file(reference_path(name)),
        model(settings_of(file), file.at("weights/embedding/tokens/embeddings").shape[0]) {
    model.parameters().allocate(true);
    load_reference_weights(file, model.parameters());
  }

  Matrix logits(const ClassBatch& batch, std::vector<AttentionTrace>* traces = nullptr) {
    arena.reset();
    Tape tape(arena, Tape::Mode::inference);
    const ForwardContext context{tape};
    return model.head().logits(context, model.features(context, batch, traces)).value();
  }
};

// The rows' own ids go in, and the model's settings fill them with padding again.
struct Padded : Model {
  ClassBatch batch;

  Padded() : Model("keras/encoder-padding-kept.safetensors") {
    const std::vector<std::int32_t> ids = read_ids(file.at("inputs/ids"));
    const std::size_t width = file.at("inputs/ids").shape[1];
    batch.clear();
    for (const float label : read_floats(file.at("inputs/labels"))) {
      std::span<const std::int32_t> row = std::span(ids).subspan(batch.labels.size() * width, width);
      while (!row.empty() && row.back() == 0) row = row.first(row.size() - 1);
      batch.add(row, model.settings().transformer.length);
      batch.labels.push_back(label > 0.5f ? 1 : 0);
    }
    batch.finish();
    REQUIRE(batch.source.ids == ids);
  }

  // Mean over the sequences; leaves its gradients in the parameters.
  double loss_and_gradients() {
    arena.reset();
    model.parameters().begin_step();
    Tape tape(arena, Tape::Mode::record);
    const double count = static_cast<double>(batch.labels.size());
    const kernels::CrossEntropyTotals totals = model.loss({tape}, batch, 0, 1 / count);
    tape.backward();
    return totals.loss / count;
  }
};

}  // namespace

TEST_CASE_FIXTURE(Padded, "classifier with its padding kept: logits agree with Keras") {
  const Matrix ours = logits(batch);
  const std::vector<float> theirs = read_floats(file.at("outputs/logits"));
  CHECK(distance(ours, theirs).absolute <= kAbsolute);
  const float largest = *std::max_element(theirs.begin(), theirs.end());
  CHECK(std::abs(static_cast<double>(largest)) > 100 * kAbsolute);  // the bound means something
}

TEST_CASE_FIXTURE(Padded, "classifier with its padding kept: loss and every gradient agree with Keras") {
  check_loss_and_gradients(file, model.parameters(), [&] { return loss_and_gradients(); });
}

TEST_CASE_FIXTURE(Padded, "classifier with its padding kept: five steps of each optimizer agree with Keras") {
  check_optimizers(file, model.parameters(), [&] { return loss_and_gradients(); });
}

TEST_CASE("classifier with positions: logits and attention agree with Keras, alone and packed together") {
  Model golden("keras/encoder-positions.safetensors");
  std::vector<std::vector<std::int32_t>> sequences;
  const auto has = [&](const std::string& name) {
    const auto& tensors = golden.file.tensors();
    return std::any_of(tensors.begin(), tensors.end(), [&](const TensorView& t) { return t.name == name; });
  };
  while (has("inputs/ids_" + std::to_string(sequences.size())))
    sequences.push_back(read_ids(golden.file.at("inputs/ids_" + std::to_string(sequences.size()))));
  REQUIRE(sequences.size() > 1);

  ClassBatch together;
  together.clear();
  for (const auto& ids : sequences) together.add(ids);
  together.finish();
  std::vector<AttentionTrace> traces;
  const Matrix logits = golden.logits(together, &traces);
  std::vector<float> packed(logits.data, logits.data + logits.rows);
  REQUIRE(traces.size() == 1);
  const Variable q = traces[0].attention.queries, k = traces[0].attention.keys;
  const TransformerSettings& settings = golden.model.settings().transformer;
  const kernels::AttentionShape shape{
      .query_offsets = together.source.offsets,
      .key_offsets = together.source.offsets,
      .heads = settings.heads,
      .head_width = settings.head_width,
      .scale = static_cast<Real>(1 / std::sqrt(static_cast<double>(settings.head_width)))};
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    INFO("sequence ", s);
    const std::vector<float> theirs =
        read_floats(golden.file.at("outputs/attention_" + std::to_string(s)));  // [H, n, n]
    const Index n = static_cast<Index>(sequences[s].size());
    std::vector<Real> weights(settings.heads * n * n);
    for (Index head = 0; head < settings.heads; ++head) {
      kernels::attention_weights(q.value(), k.value(), shape, static_cast<Index>(s), head,
                                 Matrix(weights.data() + head * n * n, n, n));
    }
    CHECK(distance(Matrix(weights.data(), settings.heads * n, n), theirs).absolute <= kAbsolute);
  }
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    INFO("sequence ", s);
    ClassBatch alone;
    alone.clear();
    alone.add(sequences[s]);
    alone.finish();
    const Matrix logit = golden.logits(alone);
    CHECK(distance(logit, read_floats(golden.file.at("outputs/logit_" + std::to_string(s)))).absolute <=
          kAbsolute);
    CHECK(logit.data[0] == packed[s]);  // the same bits
  }
}
