#include "families/attention_trace.hpp"

#include <algorithm>
#include <cmath>

#include "support/error.hpp"
#include "tensor/kernels/argmax/argmax.hpp"
#include "tensor/kernels/attention/attention.hpp"
#include "tensor/kernels/reduction/reduction.hpp"

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
  std::vector<std::int32_t> best(logits.rows);
  kernels::argmax(logits.columns_between(0, vocabulary), suppress_tokens, best);
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

std::vector<AttentionRecord> AttentionTracer::trace(Arena& arena, const AttentionExample& example,
                                                    const AttentionSelection& selection) const {
  std::vector<AttentionRecord> records;
  visit(arena, {&example, 1}, selection,
        [&](std::size_t, const AttentionHeads& heads) { records = heads.records(); });
  return records;
}

AttentionHeads::AttentionHeads(const std::vector<AttentionTrace>& traces, Index heads, Arena& arena,
                               const AttentionExample& example, const AttentionSelection& selection,
                               const std::vector<std::string>& predicts, Index sequence)
    : heads_(heads), sequence_(sequence), arena_(arena), example_(example), predicts_(predicts) {
  for (const AttentionTrace& trace : traces) {
    if (selection.kind && *selection.kind != trace.kind) continue;
    if (selection.layer && *selection.layer != trace.layer) continue;
    for (Index head = 0; head < heads; ++head) {
      if (!selection.head || *selection.head == head) chosen_.push_back({&trace, head});
    }
  }
}

static Index length_of(const Variable& tokens, Index sequence) {
  const std::size_t at = sequence;
  return tokens.packing().offsets[at + 1] - tokens.packing().offsets[at];
}

std::size_t AttentionHeads::queries(std::size_t i) const {
  return static_cast<std::size_t>(length_of(queries_of(chosen_[i]), sequence_));
}

std::size_t AttentionHeads::keys(std::size_t i) const {
  return static_cast<std::size_t>(length_of(keys_of(chosen_[i]), sequence_));
}

AttentionRecord AttentionHeads::record_without_weights(std::size_t i) const {
  const AttentionTrace& trace = *chosen_[i].trace;
  const bool is_encoder = trace.kind == AttentionKind::encoder;
  AttentionRecord record{
      .example = example_.number, .kind = trace.kind, .layer = trace.layer, .head = chosen_[i].head};
  record.query_tokens = is_encoder ? example_.source_tokens : example_.target_tokens;
  record.key_tokens = trace.kind == AttentionKind::decoder ? example_.target_tokens : example_.source_tokens;
  record.key_tokens.resize(keys(i));  // padding that only asks is no key
  if (!is_encoder) record.predicts = predicts_;
  record.window = trace.attention.window;
  return record;
}

AttentionRecord AttentionHeads::record(std::size_t i) const {
  AttentionRecord record = record_without_weights(i);
  record.weights.reserve(queries(i) * keys(i));
  for_each_rows(i, [&](std::size_t, std::span<const float> weights) {
    record.weights.insert(record.weights.end(), weights.begin(), weights.end());
  });
  return record;
}

std::vector<AttentionRecord> AttentionHeads::records() const {
  std::vector<AttentionRecord> records;
  for (std::size_t i = 0; i < size(); ++i) records.push_back(record(i));
  return records;
}

void AttentionHeads::compute(const Chosen& chosen, Index begin, Index end, Matrix weights) const {
  const AttentionOutput& attention = chosen.trace->attention;
  const Variable &queries = queries_of(chosen), &keys = keys_of(chosen);
  const Index head_width = queries.cols() / heads_;
  const Index first_query = queries.packing().offsets[sequence_],
              first_key = keys.packing().offsets[sequence_];
  // Query i of the kernel sees keys up to i + (keys - queries): without the later ones these rows see their
  // own.
  const bool is_causal = attention.causality == Causality::causal;
  const Index seen = is_causal ? weights.cols - length_of(queries, sequence_) + end : weights.cols;
  const Index query_offsets[] = {first_query + begin, first_query + end},
              key_offsets[] = {first_key, first_key + seen};
  const kernels::AttentionShape shape{.query_offsets = query_offsets,
                                      .key_offsets = key_offsets,
                                      .heads = heads_,
                                      .head_width = head_width,
                                      .scale = Real(1) / std::sqrt(static_cast<Real>(head_width)),
                                      .is_causal = is_causal,
                                      .window = attention.window};
  head_weights(attention, shape, 0, chosen.head, Matrix(weights.data, end - begin, seen, weights.stride));
  for (Index row = 0; row < weights.rows; ++row)
    std::fill(weights.row(row) + seen, weights.row(row) + weights.cols, Real(0));
}

void AttentionHeads::for_each_rows(std::size_t i, const UseRows& use) const {
  constexpr Index kWeightsAtOnce = Index{1} << 18;
  const Chosen& chosen = chosen_[i];
  const auto all = static_cast<Index>(queries(i)), asked = static_cast<Index>(keys(i));
  const AttentionOutput& attention = chosen.trace->attention;
  // A window that looks both ways is around a key counted from the last query.
  const bool is_whole = attention.causality == Causality::causal ? asked < all : attention.window > 0;
  const Index at_once = is_whole ? all : std::max<Index>(1, kWeightsAtOnce / std::max<Index>(asked, 1));
  std::vector<float> weights;
  for (Index begin = 0; begin < all; begin += at_once) {
    const ArenaScope scope(arena_);
    const Index end = std::min(all, begin + at_once);
    Matrix rows = arena_.matrix(end - begin, asked);
    compute(chosen, begin, end, rows);
    weights.resize(rows.rows * asked);
    for (Index row = 0; row < rows.rows; ++row)
      std::copy_n(rows.row(row), asked, weights.data() + row * asked);
    use(static_cast<std::size_t>(begin), weights);
  }
}

bool AttentionHeads::are_finite() const {
  bool are_finite = true;
  for (std::size_t i = 0; i < size() && are_finite; ++i) {
    for_each_rows(i, [&](std::size_t, std::span<const float> weights) {
      are_finite =
          are_finite && kernels::find_not_finite(static_cast<Index>(weights.size()), weights.data()) < 0;
    });
  }
  return are_finite;
}

}  // namespace headwater
