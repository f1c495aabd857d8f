// The causal language model: embedding, blocks that look back only (Radford et al. 2018) or recurrent layers
// (Mikolov et al. 2010), output layer.
#pragma once

#include <string>
#include <vector>

#include "data/language_batch.hpp"
#include "layers/embedding.hpp"
#include "models/cached_model.hpp"
#include "models/settings.hpp"

namespace headwater {

struct LanguageModelSettings {
  TransformerSettings transformer;
  std::int64_t layers = 1;
  double embedding_dropout = 0;  // transformer.dropout is of the blocks alone
  bool tie_embeddings = false;   // the output layer is the table of tokens
  bool output_bias = true;       // of the output layer
  // none | predicted: in training every text is filled up to `length` with padding, a token as others are.
  std::string padding = "none";
  // The special token between the two columns of an example; empty: there is one column.
  std::string delimiter = {};
  MixingSettings mixing = {};  // attention | convolution | lstm | gru
};

class LanguageModel : public CachedModel {
 public:
  // Declares its parameters; call parameters().allocate() next. Throws UsageError where settings do not fit
  // together.
  LanguageModel(const LanguageModelSettings& settings, Index vocabulary);

  Parameters& parameters() { return parameters_; }
  const Parameters& parameters() const override { return parameters_; }
  const LanguageModelSettings& settings() const { return settings_; }
  Index vocabulary() const { return vocabulary_; }

  // Tokens [T] -> [T, D], what the output layer reads.
  Variable decode(const ForwardContext& context, const PackedTokens& tokens,
                  std::vector<AttentionTrace>* traces = nullptr) const;
  // [T, D] -> [T, V]
  Variable logits(const ForwardContext& context, const Variable& hidden) const {
    return head_(context, hidden);
  }
  // Sum over all tokens that are predicted; with a recording tape the gradients of loss_scale · loss follow
  // from tape.backward().
  kernels::CrossEntropyTotals loss(const ForwardContext& context, const TokenBatch& batch,
                                   double label_smoothing, double loss_scale) const;

  Index length() const override { return settings_.transformer.length; }
  EncodedSource encode_source(const ForwardContext&, const PackedTokens&) const override { return {}; }
  Variable embed_target(const ForwardContext& context, const Packing& packing,
                        std::span<const std::int32_t> ids,
                        std::span<const std::int32_t> position_of) const override;
  const TransformerStack& decoder() const override { return decoder_; }
  const OutputLayer& output_layer() const override { return head_; }

  std::vector<LayerSummary> summary() const;

 private:
  LanguageModelSettings settings_;
  Index vocabulary_;
  Parameters parameters_;
  LayerBuilder builder_;
  Embedding embedding_;
  OutputLayer head_;
  TransformerStack decoder_;
  Dropout embedding_dropout_, output_dropout_;
};

}  // namespace headwater
