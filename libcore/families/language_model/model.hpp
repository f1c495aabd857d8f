// The causal language model: embedding, blocks that look back only (Radford et al. 2018) or recurrent layers
// (Mikolov et al. 2010), output layer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/packed_tokens.hpp"
#include "layers/embedding.hpp"
#include "models/cached_model.hpp"
#include "models/settings.hpp"

namespace headwater {

// A text and how it goes on: source, delimiter, target. Only the target is predicted.
struct DelimitedText {
  std::span<const std::int32_t> source, target;  // target: at least one id
  std::int32_t delimiter = 0;

  std::size_t size() const { return source.size() + 1 + target.size(); }
  // The first ids of both that fit in `max_ids` with the delimiter; the target comes first.
  DelimitedText truncated(std::size_t max_ids) const;
};

// A part of a text that is read at once: ids begin to end - 2 are read, `predicted` to end - 1 predicted.
struct TextWindow {
  std::size_t begin = 0, predicted = 1, end = 0;
  bool operator==(const TextWindow&) const = default;
};

// A text of so many ids, at least two, in windows that read up to `length` of them. All but the first id are
// predicted, each once. A window after the first predicts up to `stride` ids, 1 to `length`, and each of them
// after at least length - stride + 1 others.
std::vector<TextWindow> text_windows(std::size_t ids, std::size_t length, std::size_t stride);

// The model reads all ids of a text but the last and predicts all but the first. A batch has texts of one
// kind: delimited or not.
struct TokenBatch {
  PackedTokens tokens;               // what is read
  TokenSubset predicting;            // of delimited texts: the tokens after which one is predicted
  std::vector<std::int32_t> labels;  // what is predicted, one a token, or one each of `predicting`
  Index padding = 0;                 // of the tokens: those that fill texts up

  void clear();
  // At least one id. With `length` a text that reads fewer is filled up to so many with padding (id 0), and
  // padding is predicted after its end.
  void add(std::span<const std::int32_t> ids, Index length = 0);
  void add(const DelimitedText& text);
  // A text that an earlier part of the global batch holds: before the first add.
  void skip(std::span<const std::int32_t> ids, Index length = 0) {
    skip(static_cast<Index>(ids.size()), length);
  }
  void skip(Index ids, Index length = 0) { tokens.skip(std::max(ids - 1, length)); }
  void skip(const DelimitedText& text);
  // After the last add.
  void finish(const BatchPart& part);
  void finish() { finish(BatchPart::whole(tokens.sequences())); }
  bool is_delimited() const { return !predicting.tokens.empty(); }
};

// predicted: in training every text is filled up to `length` with padding, a token as others are.
enum class TrainingPadding { none, predicted };

struct LanguageModelSettings {
  TransformerSettings transformer;
  std::int64_t layers = 1;
  double embedding_dropout = 0;  // transformer.dropout is of the blocks alone
  bool tie_embeddings = false;   // the output layer is the table of tokens
  bool output_bias = true;       // of the output layer
  TrainingPadding padding = TrainingPadding::none;
  // The special token between the two columns of an example; empty: there is one column.
  std::string delimiter = {};
  MixingSettings mixing = {};  // by a mixer that takes steps
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
