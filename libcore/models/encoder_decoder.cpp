#include "models/encoder_decoder.hpp"

#include <new>

#include "layers/packed_weights.hpp"
#include "support/error.hpp"

namespace headwater {

const char* name_of(AttentionKind kind) {
  switch (kind) {
    case AttentionKind::encoder:
      return "encoder";
    case AttentionKind::decoder:
      return "decoder";
    case AttentionKind::cross:
      return "cross";
  }
  return "";
}

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
      source_dropout_(builder_, settings.transformer.dropout),
      target_dropout_(builder_, settings.transformer.dropout),
      output_dropout_(builder_, settings.transformer.output_dropout),
      head_(builder_, "head", settings.transformer.width, target_vocabulary),
      encoder_(builder_, settings.transformer, settings.encoder_layers) {
  const BlockSettings block = block_settings(settings.transformer);
  for (Index i = 0; i < settings.decoder_layers; ++i)
    decoder_.emplace_back(builder_, "decoder." + std::to_string(i), block);
  if (block.norm_place == NormPlace::pre)
    decoder_norm_.emplace(builder_, "decoder.norm", settings.transformer.width,
                          settings.transformer.norm_epsilon);
}

Variable EncoderDecoder::encode(const StepContext& context, const PackedTokens& source,
                                std::vector<AttentionTrace>* traces) const {
  const Packing& packing = pack(context.tape, source);
  return encoder_(
      context, source_dropout_(context, source_embedding_(context, packing, source.ids, source.position_of)),
      traces);
}

Variable EncoderDecoder::embed_target(const StepContext& context, const Packing& packing,
                                      std::span<const std::int32_t> ids,
                                      std::span<const std::int32_t> position_of) const {
  return target_dropout_(context, target_embedding_(context, packing, ids, position_of));
}

Variable EncoderDecoder::finish_decoder(const StepContext& context, const Variable& x) const {
  return output_dropout_(context, decoder_norm_ ? (*decoder_norm_)(context, x) : x);
}

Variable EncoderDecoder::decode(const StepContext& context, const PackedTokens& target,
                                const Variable& memory, std::vector<AttentionTrace>* traces) const {
  Variable x = embed_target(context, pack(context.tape, target), target.ids, target.position_of);
  Index layer = 0;
  for (const DecoderBlock& block : decoder_) {
    const DecoderBlockOutput out = block(context, x, memory);
    x = out.hidden;
    if (traces) {
      traces->push_back({AttentionKind::decoder, layer, out.self});
      traces->push_back({AttentionKind::cross, layer, out.cross});
    }
    ++layer;
  }
  return finish_decoder(context, x);
}

kernels::CrossEntropyTotals EncoderDecoder::loss(const StepContext& context, const PairBatch& batch,
                                                 double label_smoothing, double loss_scale) const {
  const Variable memory = encode(context, batch.source);
  const Variable hidden = decode(context, batch.target, memory);
  return ops::linear_cross_entropy(context.tape, hidden, head_.weight(), head_.bias(), batch.labels,
                                   static_cast<Real>(label_smoothing), static_cast<Real>(loss_scale));
}

void EncoderDecoder::choose(const StepContext& context, const Variable& hidden, Index choices,
                            std::span<const std::int32_t> never, std::span<std::int32_t> best) const {
  kernels::ArgmaxWeight weight = context.packed->output();
  weight.packed.outputs = choices;
  kernels::linear_argmax(hidden.value(), weight, head_.bias()->value.data, never, best);
}

std::vector<LayerSummary> EncoderDecoder::summary() const {
  const TransformerSettings& t = settings_.transformer;
  const double decoder_flops = 2 * attention_flops(t) + feed_forward_flops(t);
  const std::string width = std::to_string(t.width);
  std::vector<LayerSummary> rows;
  rows.push_back(
      {"source_embedding", "[S, " + width + "]", parameters_of(parameters_, "source_embedding."), 0});
  rows.push_back(
      {"target_embedding", "[T, " + width + "]", parameters_of(parameters_, "target_embedding."), 0});
  encoder_.summarize(parameters_, rows);
  for (std::size_t i = 0; i < decoder_.size(); ++i) {
    const std::string name = "decoder." + std::to_string(i);
    rows.push_back({name, "[T, " + width + "]", parameters_of(parameters_, name + "."), decoder_flops});
  }
  if (decoder_norm_)
    rows.push_back({"decoder.norm", "[T, " + width + "]", parameters_of(parameters_, "decoder.norm."), 0});
  rows.push_back({"head", "[T, " + std::to_string(target_vocabulary_) + "]",
                  parameters_of(parameters_, "head."),
                  2.0 * static_cast<double>(t.length * t.width * target_vocabulary_)});
  return rows;
}

}  // namespace headwater
