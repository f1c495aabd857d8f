// The encoder-decoder Transformer (Vaswani et al. 2017).
#pragma once

#include <new>
#include <optional>
#include <span>
#include <vector>

#include "data/packed_tokens.hpp"
#include "layers/blocks.hpp"
#include "layers/embedding.hpp"
#include "models/encoder_stack.hpp"
#include "models/settings.hpp"

namespace headwater {

struct EncoderDecoderSettings {
  TransformerSettings transformer;
  std::int64_t encoder_layers = 1, decoder_layers = 1;
};

class EncoderDecoder {
 public:
  // Declares its parameters; call parameters().allocate() next. Throws UsageError where settings do not fit
  // together.
  EncoderDecoder(const EncoderDecoderSettings& settings, Index source_vocabulary, Index target_vocabulary);

  Parameters& parameters() { return parameters_; }
  const Parameters& parameters() const { return parameters_; }
  const EncoderDecoderSettings& settings() const { return settings_; }
  Index length() const { return settings_.transformer.length; }
  Index source_vocabulary() const { return source_vocabulary_; }
  Index target_vocabulary() const { return target_vocabulary_; }

  // Source tokens [S] -> [S, D].
  Variable encode(const StepContext& context, const PackedTokens& source,
                  std::vector<AttentionTrace>* traces = nullptr) const;
  // Target tokens [T] and the encoder's output -> [T, D], what the output layer reads.
  Variable decode(const StepContext& context, const PackedTokens& target, const Variable& memory,
                  std::vector<AttentionTrace>* traces = nullptr) const;
  // Loss over all target tokens; with a recording tape the gradients of loss_scale · loss follow from
  // tape.backward().
  kernels::CrossEntropyTotals loss(const StepContext& context, const PairBatch& batch, double label_smoothing,
                                   double loss_scale) const;
  // [T, D] -> [T, V]
  Variable logits(const StepContext& context, const Variable& hidden) const { return head_(context, hidden); }

  const Parameter& output_weight() const { return head_.weight(); }  // [D, V]
  // The best word below `choices` for each row of `hidden`, none of `never`: best [T]. Needs packed weights.
  void choose(const StepContext& context, const Variable& hidden, Index choices,
              std::span<const std::int32_t> never, std::span<std::int32_t> best) const;

  const std::vector<DecoderBlock>& decoder() const { return decoder_; }
  Variable embed_target(const StepContext& context, const Packing& packing, std::span<const std::int32_t> ids,
                        std::span<const std::int32_t> position_of) const;
  Variable finish_decoder(const StepContext& context, const Variable& x) const;

  std::vector<LayerSummary> summary() const;

 private:
  EncoderDecoderSettings settings_;
  Index source_vocabulary_, target_vocabulary_;
  Parameters parameters_;
  LayerBuilder builder_;
  Embedding source_embedding_, target_embedding_;
  Dropout source_dropout_, target_dropout_;
  Dropout output_dropout_;
  Linear head_;
  EncoderStack encoder_;
  std::vector<DecoderBlock> decoder_;
  std::optional<LayerNorm> decoder_norm_;  // at the end of a pre-norm stack
};

// The packing of PackedTokens, SequenceRows or TokenSubset, kept in the tape's arena.
template <class Rows>
const Packing& pack(Tape& tape, const Rows& rows) {
  return *new (tape.arena().allocate(sizeof(Packing))) Packing{rows.offsets, &rows.plan};
}

}  // namespace headwater
