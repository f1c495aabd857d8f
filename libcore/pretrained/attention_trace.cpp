#include "pretrained/attention_trace.hpp"

#include <algorithm>
#include <cmath>

#include "support/error.hpp"
#include "tensor/kernels/argmax/argmax.hpp"
#include "tensor/kernels/attention/attention.hpp"

namespace headwater {

void check_below(std::string_view what, std::int64_t value, std::int64_t count) {
  if (value < 0 || value >= count) {
    throw UsageError("--" + std::string(what) + " " + std::to_string(value) + ": the model has " +
                     std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s") +
                     " (they count from 0)");
  }
}

std::vector<std::string> likeliest_tokens(const Matrix& logits, const Tokenizer& tokenizer,
                                          const std::vector<std::int32_t>& suppress_tokens) {
  const Index vocabulary = std::min<Index>(logits.cols, tokenizer.vocabulary_size());
  std::vector<std::int32_t> best(static_cast<std::size_t>(logits.rows));
  kernels::argmax(ConstMatrix(logits.data, logits.rows, vocabulary, logits.stride), suppress_tokens, best);
  std::vector<std::string> tokens;
  for (const std::int32_t id : best) tokens.push_back(tokenizer.surface(id));
  return tokens;
}

PackedTokens packed(std::span<const AttentionExample> examples,
                    std::vector<std::int32_t> AttentionExample::*member) {
  PackedTokens tokens;
  tokens.clear();
  for (const AttentionExample& example : examples) tokens.add(example.*member);
  tokens.finish();
  return tokens;
}

std::vector<std::vector<AttentionRecord>> AttentionTracer::trace_all(
    Arena& arena, std::span<const AttentionExample> examples, const AttentionSelection& selection) const {
  std::vector<std::vector<AttentionRecord>> records;
  for (const AttentionExample& example : examples) records.push_back(trace(arena, example, selection));
  return records;
}

std::vector<AttentionRecord> attention_records(const std::vector<AttentionTrace>& traces, Index heads,
                                               Arena& arena, const AttentionExample& example,
                                               const AttentionSelection& selection,
                                               const std::vector<std::string>& predicts, Index sequence) {
  std::vector<AttentionRecord> records;
  for (const AttentionTrace& trace : traces) {
    if (selection.kind && *selection.kind != trace.kind) continue;
    if (selection.layer && *selection.layer != trace.layer) continue;
    const Variable &queries = trace.attention.queries, &keys = trace.attention.keys;
    const Index head_width = queries.cols() / heads;
    const auto length = [&](const Variable& tokens) {
      const auto at = static_cast<std::size_t>(sequence);
      return tokens.packing().offsets[at + 1] - tokens.packing().offsets[at];
    };
    const kernels::AttentionShape shape{.query_offsets = queries.packing().offsets,
                                        .key_offsets = keys.packing().offsets,
                                        .heads = heads,
                                        .head_width = head_width,
                                        .scale = Real(1) / std::sqrt(static_cast<Real>(head_width)),
                                        .is_causal = trace.attention.causality == Causality::causal,
                                        .window = trace.attention.window};
    const bool is_encoder = trace.kind == AttentionKind::encoder;
    for (Index head = 0; head < heads; ++head) {
      if (selection.head && *selection.head != head) continue;
      AttentionRecord record{
          .example = example.number, .kind = trace.kind, .layer = trace.layer, .head = head};
      record.query_tokens = is_encoder ? example.source_tokens : example.target_tokens;
      record.key_tokens =
          trace.kind == AttentionKind::decoder ? example.target_tokens : example.source_tokens;
      record.key_tokens.resize(static_cast<std::size_t>(length(keys)));  // padding that only asks is no key
      if (!is_encoder) record.predicts = predicts;
      record.window = trace.attention.window;
      const ArenaScope scope(arena);
      Matrix weights = arena.matrix(length(queries), length(keys));
      head_weights(trace.attention, shape, sequence, head, weights);
      record.weights.assign(weights.data, weights.data + weights.rows * weights.cols);
      records.push_back(std::move(record));
    }
  }
  return records;
}

}  // namespace headwater
