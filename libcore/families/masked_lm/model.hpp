// The masked language model (Devlin et al. 2019, sec. 3.1): an encoder of texts that predicts hidden tokens
// from both sides. It may also predict whether a text follows another, and a hidden span from the two tokens
// around it (SpanBERT, Joshi et al. 2020, sec. 3.2).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/packed_tokens.hpp"
#include "families/text_encoder/model.hpp"
#include "layers/linear.hpp"
#include "layers/output_layer.hpp"
#include "layers/sub_layers.hpp"

namespace headwater {

// Texts some of whose tokens are hidden, to be told from the others.
struct MaskedBatch {
  PackedTokens source;                   // as the model reads them: some replaced by [MASK] or by others
  std::vector<std::int32_t> segment_of;  // of pairs of texts: one a token, 0 in the first, 1 in the second
  TokenSubset masked;                    // the tokens of `source` that are to be told
  std::vector<std::int32_t> labels;      // what they were: one a masked token
  // For spans, one a masked token (Joshi et al. 2020, section 3.2): the tokens of `source` before and after
  // its span, and its place in the span, from 0. Empty: tokens are hidden each for itself.
  std::vector<std::int32_t> before, after, place;
  SequenceRows rows;  // one row a sequence
  // For pairs, one a sequence: 0 where the second text follows the first, 1 where it comes from elsewhere.
  std::vector<std::int32_t> is_random;

  void clear();
  // Room for so many tokens, and so many masked ones.
  void reserve(std::size_t tokens, std::size_t masked_tokens);
  // A sequence that an earlier part of the global batch holds, of so many tokens and masked ones: before the
  // first add.
  void skip(Index tokens, Index masked_tokens);
  // The next sequence. `places`: those of its masked tokens, ascending from 0; `were`: one a place. Segments,
  // spans and is_random are the caller's to add.
  void add(std::span<const std::int32_t> ids, std::span<const std::int32_t> places,
           std::span<const std::int32_t> were);
  // After the last add.
  void finish(const BatchPart& part);
  void finish() { finish(BatchPart::whole(source.sequences())); }
};

struct MaskedLmSettings : TextEncoderSettings {
  bool next_sentence = false;  // tells whether the second text of a pair follows the first
  bool span_boundary = false;  // tells hidden tokens from those before and after their span, too
};

// Sums; of what the model does not tell they stay 0.
struct MaskedLmTotals {
  kernels::CrossEntropyTotals masked, next_sentence, span_boundary;
};
// What each loss counts in the gradient.
struct MaskedLmScales {
  double masked = 1, next_sentence = 0, span_boundary = 0;
};

class MaskedLanguageModel {
 public:
  // Declares its parameters: those of TextEncoder; lm_head.transform, .norm and .bias (the weight is the
  // table of tokens); with next_sentence pooler and next_sentence; with span_boundary those of the two layers
  // and span_boundary.bias. Call parameters().allocate() next. Throws UsageError where settings do not fit
  // together.
  MaskedLanguageModel(const MaskedLmSettings& settings, Index vocabulary);

  Parameters& parameters() { return parameters_; }
  const Parameters& parameters() const { return parameters_; }
  const MaskedLmSettings& settings() const { return settings_; }
  Index vocabulary() const { return vocabulary_; }
  Index length() const { return settings_.transformer.length; }
  Index width() const { return encoder_.width(); }
  const TextEncoder& encoder() const { return encoder_; }

  // Tokens [T] -> [T, D].
  Variable encode(const ForwardContext& context, const MaskedBatch& batch,
                  std::vector<AttentionTrace>* traces = nullptr) const {
    return encoder_(context, batch.source, batch.segment_of, {}, traces);
  }
  // What the output layer reads of the batch's masked tokens: [T, D] -> [M, D].
  Variable masked_features(const ForwardContext& context, const Variable& hidden,
                           const MaskedBatch& batch) const;
  // [M, D] -> [M, V]
  Variable logits(const ForwardContext& context, const Variable& features) const {
    return decoder_(context, features);
  }
  // [T, D] -> [sequences, 2]: the second text follows, it comes from elsewhere. With next_sentence.
  Variable next_sentence_logits(const ForwardContext& context, const Variable& hidden,
                                const MaskedBatch& batch) const;
  // Sums over the masked tokens and over the pairs; with a recording tape the gradients of each loss times
  // its scale follow from tape.backward().
  MaskedLmTotals loss(const ForwardContext& context, const MaskedBatch& batch,
                      const MaskedLmScales& scales) const;

  std::vector<LayerSummary> summary() const;

 private:
  // A dense layer with the blocks' activation and its norm, before a decoder.
  struct Transform {
    Linear dense;
    Norm norm;
    Transform(LayerBuilder& builder, const std::string& dense_name, const std::string& norm_name,
              Index inputs, const MaskedLmSettings& settings);
    Variable operator()(const ForwardContext& context, const Variable& x) const {
      return norm(context, dense(context, x));
    }
  };
  struct NextSentence {
    Linear pooler, output;
  };
  struct SpanBoundary {
    Parameter* positions;  // of a token in its span: [N, D]
    Transform inner, outer;
    OutputLayer decoder;
    SpanBoundary(LayerBuilder& builder, const MaskedLmSettings& settings, Parameter& tokens);
  };

  Variable pooled(const ForwardContext& context, const Variable& hidden, const MaskedBatch& batch) const;
  // [T, D] -> [M, D]
  Variable boundary_features(const ForwardContext& context, const Variable& hidden,
                             const MaskedBatch& batch) const;

  MaskedLmSettings settings_;
  Index vocabulary_;
  Parameters parameters_;
  LayerBuilder builder_;
  TextEncoder encoder_;
  Transform transform_;
  OutputLayer decoder_;
  std::optional<NextSentence> next_sentence_;
  std::optional<SpanBoundary> span_boundary_;
};

}  // namespace headwater
