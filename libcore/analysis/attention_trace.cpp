#include "analysis/attention_trace.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "support/error.hpp"
#include "tensor/kernels.hpp"

namespace headwater {

namespace {

void check_below(std::string_view what, std::int64_t value, std::int64_t count) {
  if (value < 0 || value >= count) {
    throw UsageError("--" + std::string(what) + " " + std::to_string(value) + ": the model has " +
                     std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s") +
                     " (they count from 0)");
  }
}

std::int64_t layers_of(AttentionKind kind, const ModelSettings& settings) {
  return kind == AttentionKind::encoder ? settings.encoder_layers : settings.decoder_layers;
}

PackedTokens packed(const std::vector<std::int32_t>& ids) {
  PackedTokens tokens;
  tokens.clear();
  tokens.add(ids);
  tokens.finish();
  return tokens;
}

// The tokens that the decoder's output at each position stands for.
std::vector<std::string> predictions(const TranslationModel& model, const StepContext& context,
                                     const Variable& hidden, const std::vector<std::int32_t>& never) {
  const Variable logits = model.model->logits(context, hidden);
  std::vector<std::int32_t> best(static_cast<std::size_t>(logits.rows()));
  // the output layer may have room for more tokens than the tokenizer has
  const Matrix& all = logits.value();
  const Index choices = std::min<Index>(all.cols, model.target_tokenizer.vocabulary_size());
  kernels::argmax(ConstMatrix(all.data, all.rows, choices, all.stride), never, best);
  std::vector<std::string> tokens;
  for (const std::int32_t id : best) tokens.push_back(model.target_tokenizer.surface(id));
  return tokens;
}

std::vector<AttentionRecord> records_of(const std::vector<AttentionTrace>& traces, Index heads, Arena& arena,
                                        const AttentionExample& example, const AttentionSelection& selection,
                                        const std::vector<std::string>& predicts) {
  std::vector<AttentionRecord> records;
  for (const AttentionTrace& trace : traces) {
    if (selection.kind && *selection.kind != trace.kind) continue;
    if (selection.layer && *selection.layer != trace.layer) continue;
    const Variable &queries = trace.attention.queries, &keys = trace.attention.keys;
    const Index head_width = queries.cols() / heads;
    const std::array<Index, 2> query_offsets = {0, queries.rows()}, key_offsets = {0, keys.rows()};
    const kernels::AttentionShape shape{.query_offsets = query_offsets,
                                        .key_offsets = key_offsets,
                                        .heads = heads,
                                        .head_width = head_width,
                                        .scale = Real(1) / std::sqrt(static_cast<Real>(head_width)),
                                        .is_causal = trace.attention.causality == Causality::causal};
    const bool is_encoder = trace.kind == AttentionKind::encoder;
    for (Index head = 0; head < heads; ++head) {
      if (selection.head && *selection.head != head) continue;
      AttentionRecord record{
          .example = example.number, .kind = trace.kind, .layer = trace.layer, .head = head};
      record.query_tokens = is_encoder ? example.source_tokens : example.target_tokens;
      record.key_tokens =
          trace.kind == AttentionKind::decoder ? example.target_tokens : example.source_tokens;
      record.key_tokens.resize(static_cast<std::size_t>(keys.rows()));  // padding that only asks is no key
      if (!is_encoder) record.predicts = predicts;
      Matrix weights = arena.matrix(queries.rows(), keys.rows());
      kernels::attention_weights(queries.value(), keys.value(), shape, 0, head, weights);
      record.weights.assign(weights.data, weights.data + weights.rows * weights.cols);
      records.push_back(std::move(record));
    }
  }
  return records;
}

}  // namespace

void check(const AttentionSelection& selection, const EncoderDecoder& model) {
  const ModelSettings& settings = model.settings();
  if (selection.head) check_below("head", *selection.head, settings.heads);
  if (!selection.layer) return;
  const std::int64_t layers = selection.kind ? layers_of(*selection.kind, settings)
                                             : std::max(settings.encoder_layers, settings.decoder_layers);
  check_below("layer", *selection.layer, layers);
}

void check(const AttentionSelection& selection, const TextClassifier& model) {
  const ModelSettings& settings = model.settings();
  if (selection.kind && *selection.kind != AttentionKind::encoder) {
    throw UsageError("--kind " + std::string(name_of(*selection.kind)) +
                     ": a classifier has encoder attention only");
  }
  if (selection.head) check_below("head", *selection.head, settings.heads);
  if (selection.layer) check_below("layer", *selection.layer, settings.encoder_layers);
}

std::vector<AttentionRecord> trace_attention(const TranslationModel& model, Arena& arena,
                                             const AttentionExample& example,
                                             const AttentionSelection& selection,
                                             const std::vector<std::int32_t>& never) {
  const ArenaScope scope(arena);
  Tape tape(arena, Tape::Mode::inference);
  const StepContext context{tape};
  const PackedTokens source = packed(example.source_ids), target = packed(example.target_ids);
  std::vector<AttentionTrace> traces;
  const Variable memory = model.model->encode(context, source, &traces);
  const Variable hidden = model.model->decode(context, target, memory, &traces);
  const std::vector<std::string> predicts = predictions(model, context, hidden, never);
  std::stable_sort(traces.begin(), traces.end(),
                   [](const AttentionTrace& a, const AttentionTrace& b) { return a.kind < b.kind; });

  return records_of(traces, model.model->settings().heads, arena, example, selection, predicts);
}

std::vector<AttentionRecord> trace_attention(const ClassificationModel& model, Arena& arena,
                                             const AttentionExample& example,
                                             const AttentionSelection& selection) {
  const ArenaScope scope(arena);
  Tape tape(arena, Tape::Mode::inference);
  const Index length = model.model->padded_length(static_cast<Index>(example.source_ids.size()));
  ClassBatch batch;
  batch.clear();
  batch.add(example.source_ids, length);
  batch.finish();
  AttentionExample padded = example;
  padded.source_tokens.resize(batch.source.ids.size(), model.tokenizer.surface(model.tokenizer.pad_id()));
  std::vector<AttentionTrace> traces;
  model.model->features({tape}, batch, &traces);
  return records_of(traces, model.model->settings().heads, arena, padded, selection, {});
}

}  // namespace headwater
