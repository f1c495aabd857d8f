// The encoder-decoder Transformer (Vaswani et al. 2017).
#pragma once

#include <span>
#include <vector>

#include "data/packed_tokens.hpp"
#include "layers/embedding.hpp"
#include "models/cached_model.hpp"
#include "models/settings.hpp"

namespace headwater {

// Which of source table, target table and output layer are one (Press and Wolf 2017).
enum class SharedEmbeddings { none, target_output, source_target, all };
// What stands around a source; its ids have it when they come here.
enum class SourceSpecialTokens { none, start_end, end };

struct EncoderDecoderSettings {
  TransformerSettings transformer;
  std::int64_t encoder_layers = 1, decoder_layers = 1;
  SharedEmbeddings share_embeddings = SharedEmbeddings::none;
  SourceSpecialTokens source_special_tokens = SourceSpecialTokens::none;
  MixingSettings mixing = {};  // of the tokens of a side among themselves
  // With mixing: gru the decoder starts from the encoder's last state, and there are two keys more:
  std::int64_t embedding_width = 0;  // 0: the width
  bool additive_attention = false;   // the decoder looks at the source as well

  bool has_source_start() const { return source_special_tokens == SourceSpecialTokens::start_end; }
  bool has_source_end() const { return source_special_tokens != SourceSpecialTokens::none; }
  // Attention, where the mixer only looks back.
  MixingSettings encoder_mixing() const {
    return mixer_kind(mixing.mixing).encodes_texts ? mixing : MixingSettings{};
  }
  std::int64_t heads() const { return mixing.is_recurrent() ? 1 : transformer.heads; }
};

// The two tables are one; the output layer reads the target's.
bool shares_tables(const EncoderDecoderSettings& settings);
bool ties_output(const EncoderDecoderSettings& settings);

class EncoderDecoder : public CachedModel {
 public:
  // Declares its parameters; call parameters().allocate() next. Throws UsageError where settings do not fit
  // together. A table of both sides is named embedding.tokens.
  EncoderDecoder(const EncoderDecoderSettings& settings, Index source_vocabulary, Index target_vocabulary);

  Parameters& parameters() { return parameters_; }
  const Parameters& parameters() const override { return parameters_; }
  const EncoderDecoderSettings& settings() const { return settings_; }
  Index source_vocabulary() const { return source_vocabulary_; }
  Index target_vocabulary() const { return target_vocabulary_; }

  // What the decoder reads of source tokens [S].
  EncodedSource encode(const ForwardContext& context, const PackedTokens& source,
                       std::vector<AttentionTrace>* traces = nullptr) const;
  // What the encoder's first block reads, and its blocks.
  Variable embed_source(const ForwardContext& context, const PackedTokens& source) const;
  const TransformerStack& encoder() const { return encoder_; }
  // Target tokens [T] and what the encoder gave -> [T, D], what the output layer reads.
  Variable decode(const ForwardContext& context, const PackedTokens& target, const EncodedSource& source,
                  std::vector<AttentionTrace>* traces = nullptr) const;
  // Loss over all target tokens; with a recording tape the gradients of loss_scale · loss follow from
  // tape.backward(). `r_drop`, for a doubled batch: weight of the divergence of its two passes.
  kernels::CrossEntropyTotals loss(const ForwardContext& context, const PairBatch& batch,
                                   double label_smoothing, double loss_scale, double r_drop = 0) const;
  // [T, D] -> [T, V]
  Variable logits(const ForwardContext& context, const Variable& hidden) const {
    return head_(context, hidden);
  }

  Index length() const override { return settings_.transformer.length; }
  EncodedSource encode_source(const ForwardContext& context, const PackedTokens& source) const override {
    return encode(context, source);
  }
  Variable embed_target(const ForwardContext& context, const Packing& packing,
                        std::span<const std::int32_t> ids,
                        std::span<const std::int32_t> position_of) const override;
  const TransformerStack& decoder() const override { return decoder_; }
  const OutputLayer& output_layer() const override { return head_; }

  std::vector<LayerSummary> summary() const;

 private:
  EncoderDecoderSettings settings_;
  Index source_vocabulary_, target_vocabulary_;
  Parameters parameters_;
  LayerBuilder builder_;
  Parameter* shared_tokens_;  // or null
  Embedding source_embedding_, target_embedding_;
  Dropout source_dropout_, target_dropout_;
  Dropout output_dropout_;
  OutputLayer head_;
  TransformerStack encoder_, decoder_;
};

}  // namespace headwater
