// The encoder-decoder against Keras (reference/keras/encoder-decoder.safetensors): logits, attention, loss,
// gradients and five steps of each optimizer. Sizes and settings are read from the file, so that another one
// of the same layout serves as well.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "families/translator/model.hpp"
#include "keras_model.hpp"
#include "reference_folder.hpp"

using namespace headwater;

namespace {

EncoderDecoderSettings settings_of(const Safetensors& file) {
  const Json json = reference_settings(file);
  const auto shape = [&](const std::string& name) { return file.at("weights/" + name).shape; };
  EncoderDecoderSettings settings;
  settings.transformer.width = shape("head/kernel")[0];
  settings.transformer.heads = json.at("heads").as_integer();
  settings.transformer.head_width = json.at("key_size").as_integer();
  settings.transformer.feed_forward_width = shape("encoder/ff_1/kernel")[1];
  settings.transformer.length = std::max(shape("source_embedding/positions/embeddings")[0],
                                         shape("target_embedding/positions/embeddings")[0]);
  settings.transformer.norm_epsilon = json.at("norm_epsilon").as_number();
  return settings;
}

// The real tokens of padded rows [B, N].
PairBatch batch_of(const Safetensors& file) {
  const auto source_lengths = read_integers(file.at("inputs/source_lengths")),
             target_lengths = read_integers(file.at("inputs/target_lengths"));
  const auto source = read_ids(file.at("inputs/source")), target = read_ids(file.at("inputs/target_in")),
             labels = read_ids(file.at("inputs/target_out"));
  const std::size_t source_width = file.at("inputs/source").shape[1];
  const std::size_t target_width = file.at("inputs/target_in").shape[1];
  PairBatch batch;
  batch.clear();
  for (std::size_t s = 0; s < source_lengths.size(); ++s) {
    const std::size_t length = target_lengths[s];
    batch.source.add(
        std::span(source).subspan(s * source_width, static_cast<std::size_t>(source_lengths[s])));
    batch.target.add(std::span(target).subspan(s * target_width, length));
    const auto begin = labels.begin() + static_cast<std::ptrdiff_t>(s * target_width);
    batch.labels.insert(batch.labels.end(), begin, begin + static_cast<std::ptrdiff_t>(length));
  }
  batch.finish();
  return batch;
}

struct Golden {
  Safetensors file{reference_path("keras/encoder-decoder.safetensors")};
  PairBatch batch = batch_of(file);
  EncoderDecoder model{settings_of(file), file.at("weights/source_embedding/tokens/embeddings").shape[0],
                       file.at("weights/head/kernel").shape[1]};
  Arena arena;

  Golden() {
    model.parameters().allocate(true);
    load_reference_weights(file, model.parameters());
  }

  // Mean over real target tokens; leaves its gradients in the parameters.
  double loss_and_gradients() {
    arena.reset();
    model.parameters().begin_step();
    Tape tape(arena, Tape::Mode::record);
    const double tokens = static_cast<double>(batch.labels.size());
    const kernels::CrossEntropyTotals totals = model.loss({tape}, batch, 0, 1 / tokens);
    tape.backward();
    CHECK(totals.tokens == batch.target.tokens());
    return totals.loss / tokens;
  }
};

// Expected weights of real tokens, cut out of padded ones [B, H, N, M].
std::vector<float> cut_out(const TensorView& padded, const std::vector<float>& values, Index s, Index head,
                           Index queries, Index keys) {
  const Index heads = padded.shape[1], rows = padded.shape[2], cols = padded.shape[3];
  std::vector<float> result;
  for (Index q = 0; q < queries; ++q) {
    const auto begin = values.begin() + ((s * heads + head) * rows + q) * cols;
    result.insert(result.end(), begin, begin + keys);
  }
  return result;
}

void check_attention(const AttentionTrace& trace, const TensorView& theirs,
                     const TransformerSettings& settings) {
  const std::vector<float> values = read_floats(theirs);
  const Variable q = trace.attention.queries, k = trace.attention.keys;
  const kernels::AttentionShape shape{
      .query_offsets = q.packing().offsets,
      .key_offsets = k.packing().offsets,
      .heads = settings.heads,
      .head_width = settings.head_width,
      .scale = static_cast<Real>(1 / std::sqrt(static_cast<double>(settings.head_width))),
      .is_causal = trace.attention.causality == Causality::causal};
  for (Index s = 0; s < shape.sequences(); ++s) {
    for (Index head = 0; head < settings.heads; ++head) {
      const Index rows = shape.query_length(s), cols = shape.key_length(s);
      std::vector<Real> storage(rows * cols);
      const Matrix weights(storage.data(), rows, cols);
      kernels::attention_weights(q.value(), k.value(), shape, s, head, weights);
      INFO(name_of(trace.kind), " attention of sequence ", s, ", head ", head);
      CHECK(distance(weights, cut_out(theirs, values, s, head, rows, cols)).absolute <= kAbsolute);
      for (Index r = 0; r < rows; ++r) {
        double sum = 0;
        for (Index c = 0; c < cols; ++c) sum += static_cast<double>(weights.row(r)[c]);
        CHECK(std::abs(sum - 1) <= 1e-5);
      }
    }
  }
}

}  // namespace

TEST_CASE_FIXTURE(Golden, "encoder-decoder: logits and attention agree with Keras") {
  Tape tape(arena, Tape::Mode::inference);
  const ForwardContext context{tape};
  std::vector<AttentionTrace> traces;
  const EncodedSource memory = model.encode(context, batch.source, &traces);
  const Variable logits = model.logits(context, model.decode(context, batch.target, memory, &traces));

  const TensorView& theirs = file.at("outputs/logits");  // [B, N, V]
  const std::vector<float> values = read_floats(theirs);
  const Index rows = theirs.shape[1], vocabulary = theirs.shape[2];
  REQUIRE(logits.cols() == vocabulary);
  for (Index s = 0; s < batch.target.sequences(); ++s) {
    const Index begin = batch.target.offsets[s], end = batch.target.offsets[static_cast<std::size_t>(s) + 1];
    const auto first = values.begin() + s * rows * vocabulary;
    INFO("logits of sequence ", s);
    CHECK(distance(logits.value().rows_between(begin, end), {first, first + (end - begin) * vocabulary})
              .absolute <= kAbsolute);
  }

  REQUIRE(traces.size() == 3);
  const std::map<AttentionKind, std::string> names = {{AttentionKind::encoder, "encoder_self"},
                                                      {AttentionKind::decoder, "decoder_self"},
                                                      {AttentionKind::cross, "decoder_cross"}};
  for (const AttentionTrace& trace : traces)
    check_attention(trace, file.at("outputs/" + names.at(trace.kind)), model.settings().transformer);
}

TEST_CASE_FIXTURE(Golden, "encoder-decoder: loss and every gradient agree with Keras") {
  check_loss_and_gradients(file, model.parameters(), [&] { return loss_and_gradients(); });
}

TEST_CASE_FIXTURE(Golden, "encoder-decoder: five steps of each optimizer agree with Keras") {
  check_optimizers(file, model.parameters(), [&] { return loss_and_gradients(); });
}
