#include "families/masked_lm/model.hpp"

#include <array>

#include "layers/transformer_stack.hpp"

namespace headwater {

void MaskedBatch::clear() {
  source.clear();
  segment_of.clear();
  masked.clear();
  labels.clear();
  before.clear();
  after.clear();
  place.clear();
  is_random.clear();
}

void MaskedBatch::reserve(std::size_t tokens, std::size_t masked_tokens) {
  for (std::vector<std::int32_t>* of_tokens : {&source.ids, &source.position_of, &segment_of})
    of_tokens->reserve(tokens);
  for (std::vector<std::int32_t>* of_masked : {&masked.tokens, &labels, &before, &after, &place})
    of_masked->reserve(masked_tokens);
}

void MaskedBatch::skip(Index tokens, Index masked_tokens) {
  source.skip(tokens);
  masked.skip(masked_tokens);
}

void MaskedBatch::add(std::span<const std::int32_t> ids, std::span<const std::int32_t> places,
                      std::span<const std::int32_t> were) {
  const auto begin = static_cast<std::int32_t>(source.tokens());
  source.add(ids);
  for (const std::int32_t at : places) masked.tokens.push_back(begin + at);
  masked.offsets.push_back(static_cast<Index>(masked.tokens.size()));
  labels.insert(labels.end(), were.begin(), were.end());
}

void MaskedBatch::finish(const BatchPart& part) {
  source.finish(part);
  masked.finish(part);
  rows.assign(part);
}

MaskedLanguageModel::Transform::Transform(LayerBuilder& builder, const std::string& dense_name,
                                          const std::string& norm_name, Index inputs,
                                          const MaskedLmSettings& settings)
    : dense(builder, dense_name, inputs, settings.transformer.width,
            block_settings(settings.transformer, settings.mixing).activation),
      norm(builder, norm_name, settings.transformer.width, settings.transformer) {}

MaskedLanguageModel::SpanBoundary::SpanBoundary(LayerBuilder& builder, const MaskedLmSettings& settings,
                                                Parameter& tokens)
    : positions(builder.parameters.declare(
          "span_boundary.positions", {settings.transformer.length, settings.transformer.width},
          settings.transformer.length, settings.transformer.width, Initializer::embedding_uniform)),
      inner(builder, "span_boundary.inner", "span_boundary.inner_norm", 3 * settings.transformer.width,
            settings),
      outer(builder, "span_boundary.outer", "span_boundary.outer_norm", settings.transformer.width, settings),
      decoder(builder, "span_boundary", tokens) {
  positions->is_table = true;
}

MaskedLanguageModel::MaskedLanguageModel(const MaskedLmSettings& settings, Index vocabulary)
    : settings_(settings),
      vocabulary_(vocabulary),
      builder_{parameters_},
      encoder_(builder_, settings, vocabulary),
      transform_(builder_, "lm_head.transform", "lm_head.norm", settings.transformer.width, settings),
      decoder_(builder_, "lm_head", encoder_.tokens()) {
  if (settings.next_sentence) {
    next_sentence_.emplace(
        NextSentence{.pooler = Linear(builder_, "pooler", width(), width(), ops::Activation::tanh),
                     .output = Linear(builder_, "next_sentence", width(), 2)});
  }
  if (settings.span_boundary) span_boundary_.emplace(builder_, settings, encoder_.tokens());
  set_initialization(parameters_, settings.transformer.initialization);
}

Variable MaskedLanguageModel::masked_features(const ForwardContext& context, const Variable& hidden,
                                              const MaskedBatch& batch) const {
  return transform_(
      context, ops::take_rows(context.tape, hidden, batch.masked.tokens, pack(context.tape, batch.masked)));
}

Variable MaskedLanguageModel::pooled(const ForwardContext& context, const Variable& hidden,
                                     const MaskedBatch& batch) const {
  return next_sentence_->pooler(
      context, ops::pool(context.tape, hidden, ops::Pooling::first, pack(context.tape, batch.rows)));
}

Variable MaskedLanguageModel::next_sentence_logits(const ForwardContext& context, const Variable& hidden,
                                                   const MaskedBatch& batch) const {
  return next_sentence_->output(context, pooled(context, hidden, batch));
}

Variable MaskedLanguageModel::boundary_features(const ForwardContext& context, const Variable& hidden,
                                                const MaskedBatch& batch) const {
  Tape& tape = context.tape;
  const Packing& masked = pack(tape, batch.masked);
  const Variable places = ops::embed(tape, masked, batch.place, *span_boundary_->positions, 1, {},
                                     static_cast<Parameter*>(nullptr));
  const std::array<Variable, 3> known{ops::take_rows(tape, hidden, batch.before, masked),
                                      ops::take_rows(tape, hidden, batch.after, masked), places};
  return span_boundary_->outer(context, span_boundary_->inner(context, ops::concatenate(tape, known)));
}

MaskedLmTotals MaskedLanguageModel::loss(const ForwardContext& context, const MaskedBatch& batch,
                                         const MaskedLmScales& scales) const {
  MaskedLmTotals totals;
  const Variable hidden = encode(context, batch);
  // For a part without hidden tokens too: the uses of the table keep their order.
  totals.masked =
      decoder_.loss(context, masked_features(context, hidden, batch), batch.labels, 0, scales.masked);
  if (next_sentence_ && !batch.is_random.empty()) {
    const Linear& output = next_sentence_->output;
    totals.next_sentence =
        ops::linear_cross_entropy(context.tape, pooled(context, hidden, batch), output.weight(),
                                  output.bias(), batch.is_random, 0, static_cast<Real>(scales.next_sentence));
  }
  if (span_boundary_ && batch.before.size() == batch.labels.size()) {
    totals.span_boundary = span_boundary_->decoder.loss(context, boundary_features(context, hidden, batch),
                                                        batch.labels, 0, scales.span_boundary);
  }
  return totals;
}

std::vector<LayerSummary> MaskedLanguageModel::summary() const {
  const std::string width = std::to_string(this->width()), words = "[M, " + std::to_string(vocabulary_) + "]";
  const double d = static_cast<double>(this->width()), v = static_cast<double>(vocabulary_);
  std::vector<LayerSummary> rows;
  encoder_.summarize(parameters_, rows);
  // The outputs for one masked token, and for one pair.
  rows.push_back(layer_summary(parameters_, "lm_head", words, 2 * d * (d + v), 1));
  if (next_sentence_) {
    rows.push_back(layer_summary(parameters_, "pooler", "[" + width + "]", 2 * d * d, 1));
    rows.push_back(layer_summary(parameters_, "next_sentence", "[2]", 2 * d * 2, 1));
  }
  if (span_boundary_)
    rows.push_back(layer_summary(parameters_, "span_boundary", words, 2 * d * (3 * d + d + v), 1));
  return rows;
}

}  // namespace headwater
