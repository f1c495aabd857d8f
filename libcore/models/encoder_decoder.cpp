#include "models/encoder_decoder.hpp"

#include "models/packing.hpp"

namespace headwater {

namespace {

BlockSettings decoder_block_settings(const TransformerSettings& settings) {
  BlockSettings block = block_settings(settings);
  block.causality = Causality::causal;
  block.has_cross_attention = true;
  return block;
}

}  // namespace

EncoderDecoder::EncoderDecoder(const EncoderDecoderSettings& settings, Index source_vocabulary,
                               Index target_vocabulary)
    : settings_(settings),
      source_vocabulary_(source_vocabulary),
      target_vocabulary_(target_vocabulary),
      builder_{parameters_},
      source_embedding_(builder_, "source_embedding",
                        embedding_settings(settings.transformer, source_vocabulary)),
      target_embedding_(builder_, "target_embedding",
                        embedding_settings(settings.transformer, target_vocabulary)),
      source_dropout_("source_embedding", settings.transformer.dropout),
      target_dropout_("target_embedding", settings.transformer.dropout),
      output_dropout_("output", settings.transformer.output_dropout),
      head_(builder_, "head", settings.transformer.width, target_vocabulary),
      encoder_(builder_, "encoder", block_settings(settings.transformer), settings.encoder_layers),
      decoder_(builder_, "decoder", decoder_block_settings(settings.transformer), settings.decoder_layers) {
  set_initialization(parameters_, settings.transformer.initialization);
}

Variable EncoderDecoder::encode(const ForwardContext& context, const PackedTokens& source,
                                std::vector<AttentionTrace>* traces) const {
  const Packing& packing = pack(context.tape, source);
  return encoder_(
      context, source_dropout_(context, source_embedding_(context, packing, source.ids, source.position_of)),
      {}, traces);
}

Variable EncoderDecoder::embed_target(const ForwardContext& context, const Packing& packing,
                                      std::span<const std::int32_t> ids,
                                      std::span<const std::int32_t> position_of) const {
  return target_dropout_(context, target_embedding_(context, packing, ids, position_of));
}

Variable EncoderDecoder::decode(const ForwardContext& context, const PackedTokens& target,
                                const Variable& memory, std::vector<AttentionTrace>* traces) const {
  const Variable x = embed_target(context, pack(context.tape, target), target.ids, target.position_of);
  return output_dropout_(context, decoder_(context, x, {.memory = memory}, traces));
}

kernels::CrossEntropyTotals EncoderDecoder::loss(const ForwardContext& context, const PairBatch& batch,
                                                 double label_smoothing, double loss_scale) const {
  const Variable memory = encode(context, batch.source);
  const Variable hidden = decode(context, batch.target, memory);
  return ops::linear_cross_entropy(context.tape, hidden, head_.weight(), head_.bias(), batch.labels,
                                   static_cast<Real>(label_smoothing), static_cast<Real>(loss_scale));
}

std::vector<LayerSummary> EncoderDecoder::summary() const {
  const TransformerSettings& t = settings_.transformer;
  const std::string width = std::to_string(t.width);
  std::vector<LayerSummary> rows;
  rows.push_back(
      {"source_embedding", "[S, " + width + "]", parameters_of(parameters_, "source_embedding."), 0});
  rows.push_back(
      {"target_embedding", "[T, " + width + "]", parameters_of(parameters_, "target_embedding."), 0});
  encoder_.summarize(parameters_, "[S, " + width + "]", t.length, rows);
  decoder_.summarize(parameters_, "[T, " + width + "]", t.length, rows);
  rows.push_back({"head", "[T, " + std::to_string(target_vocabulary_) + "]",
                  parameters_of(parameters_, "head."),
                  2.0 * static_cast<double>(t.length * t.width * target_vocabulary_)});
  return rows;
}

}  // namespace headwater
