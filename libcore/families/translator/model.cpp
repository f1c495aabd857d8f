#include "families/translator/model.hpp"

#include "layers/transformer_stack.hpp"
#include "support/error.hpp"

namespace headwater {

namespace {

// The embeddings of a side, which may be narrower than the model.
EmbeddingSettings embeddings_of(const EncoderDecoderSettings& settings, Index vocabulary) {
  TransformerSettings transformer = settings.transformer;
  if (settings.embedding_width > 0) transformer.width = settings.embedding_width;
  return embedding_settings(transformer, vocabulary);
}

BlockSettings encoder_block_settings(const EncoderDecoderSettings& settings) {
  BlockSettings block = block_settings(settings.transformer, settings.encoder_mixing());
  block.inputs = settings.embedding_width;
  block.gives_last = settings.mixing.is_recurrent();
  return block;
}

BlockSettings decoder_blocks_of(const EncoderDecoderSettings& settings) {
  if (!settings.mixing.is_recurrent()) return decoder_block_settings(settings.transformer, settings.mixing);
  BlockSettings block = causal_block_settings(settings.transformer, settings.mixing);
  block.mixing.bidirectional = false;
  block.inputs = settings.embedding_width;
  block.has_cross_attention = settings.additive_attention;
  return block;
}

// The table of both sides, or null.
Parameter* declare_shared(LayerBuilder& builder, const EncoderDecoderSettings& settings,
                          Index source_vocabulary, Index target_vocabulary) {
  if (!shares_tables(settings)) return nullptr;
  if (source_vocabulary != target_vocabulary) {
    throw UsageError("model: share_embeddings " + std::string(name_of(settings.share_embeddings)) +
                     ": source and target have " + std::to_string(source_vocabulary) + " and " +
                     std::to_string(target_vocabulary) +
                     " tokens, one table needs one vocabulary (learn a joint one, or write target_output)");
  }
  return &declare_tokens(builder, "embedding", embeddings_of(settings, target_vocabulary));
}

Embedding embedding_of(LayerBuilder& builder, const std::string& name, const EncoderDecoderSettings& settings,
                       Index vocabulary, Parameter* shared) {
  const EmbeddingSettings embedding = embeddings_of(settings, vocabulary);
  return shared ? Embedding(builder, name, embedding, *shared) : Embedding(builder, name, embedding);
}

OutputLayer output_of(LayerBuilder& builder, const EncoderDecoderSettings& settings, const Embedding& target,
                      Index vocabulary) {
  return ties_output(settings) ? OutputLayer(builder, "head", target.tokens())
                               : OutputLayer(builder, "head", settings.transformer.width, vocabulary);
}

}  // namespace

bool shares_tables(const EncoderDecoderSettings& settings) {
  return settings.share_embeddings == SharedEmbeddings::source_target ||
         settings.share_embeddings == SharedEmbeddings::all;
}

bool ties_output(const EncoderDecoderSettings& settings) {
  return settings.share_embeddings == SharedEmbeddings::target_output ||
         settings.share_embeddings == SharedEmbeddings::all;
}

EncoderDecoder::EncoderDecoder(const EncoderDecoderSettings& settings, Index source_vocabulary,
                               Index target_vocabulary)
    : settings_(settings),
      source_vocabulary_(source_vocabulary),
      target_vocabulary_(target_vocabulary),
      builder_{parameters_},
      shared_tokens_(declare_shared(builder_, settings, source_vocabulary, target_vocabulary)),
      source_embedding_(
          embedding_of(builder_, "source_embedding", settings, source_vocabulary, shared_tokens_)),
      target_embedding_(
          embedding_of(builder_, "target_embedding", settings, target_vocabulary, shared_tokens_)),
      source_dropout_("source_embedding", settings.transformer.dropout),
      target_dropout_("target_embedding", settings.transformer.dropout),
      output_dropout_("output", settings.transformer.output_dropout),
      head_(output_of(builder_, settings, target_embedding_, target_vocabulary)),
      encoder_(builder_, "encoder", encoder_block_settings(settings), settings.encoder_layers),
      decoder_(builder_, "decoder", decoder_blocks_of(settings), settings.decoder_layers) {
  set_initialization(parameters_, settings.transformer.initialization);
}

EncodedSource EncoderDecoder::encode(const ForwardContext& context, const PackedTokens& source,
                                     std::vector<AttentionTrace>* traces) const {
  EncodedSource encoded;
  const Variable x = encoder_.run_blocks(context, embed_source(context, source), {}, traces, &encoded.last);
  encoded.memory = encoder_.norm(context, x);
  return encoded;
}

Variable EncoderDecoder::embed_source(const ForwardContext& context, const PackedTokens& source) const {
  const Packing& packing = pack(context.tape, source);
  return source_dropout_(context, source_embedding_(context, packing, source.ids, source.position_of));
}

Variable EncoderDecoder::embed_target(const ForwardContext& context, const Packing& packing,
                                      std::span<const std::int32_t> ids,
                                      std::span<const std::int32_t> position_of) const {
  return target_dropout_(context, target_embedding_(context, packing, ids, position_of));
}

Variable EncoderDecoder::decode(const ForwardContext& context, const PackedTokens& target,
                                const EncodedSource& source, std::vector<AttentionTrace>* traces) const {
  const Variable x = embed_target(context, pack(context.tape, target), target.ids, target.position_of);
  return output_dropout_(context,
                         decoder_(context, x, {.memory = source.memory, .initial = source.last}, traces));
}

kernels::CrossEntropyTotals EncoderDecoder::loss(const ForwardContext& context, const PairBatch& batch,
                                                 double label_smoothing, double loss_scale,
                                                 double r_drop) const {
  const Variable hidden = decode(context, batch.target, encode(context, batch.source));
  return head_.loss(context, batch.is_doubled ? ops::interleave_copies(context.tape, hidden) : hidden,
                    batch.labels, label_smoothing, loss_scale, r_drop);
}

std::vector<LayerSummary> EncoderDecoder::summary() const {
  const TransformerSettings& t = settings_.transformer;
  const std::string width = std::to_string(t.width),
                    embedding =
                        std::to_string(settings_.embedding_width > 0 ? settings_.embedding_width : t.width);
  std::vector<LayerSummary> rows;
  if (shared_tokens_ != nullptr)
    rows.push_back(layer_summary(parameters_, "embedding", "[S + T, " + embedding + "]", 0, 0));
  rows.push_back(layer_summary(parameters_, "source_embedding", "[S, " + embedding + "]", 0, 0));
  rows.push_back(layer_summary(parameters_, "target_embedding", "[T, " + embedding + "]", 0, 0));
  encoder_.summarize(parameters_, "[S, " + width + "]", t.length, rows);
  decoder_.summarize(parameters_, "[T, " + width + "]", t.length, rows);
  rows.push_back(layer_summary(parameters_, "head", "[T, " + std::to_string(target_vocabulary_) + "]",
                               2.0 * static_cast<double>(t.length * t.width * target_vocabulary_), t.length));
  return rows;
}

}  // namespace headwater
