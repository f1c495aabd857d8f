// The encoder of texts that classifiers and masked language models share (Devlin et al. 2019): token,
// position and segment embeddings, their norm and dropout, blocks. Its parameters have the same names in all
// of them, so that weights go from one model to another by name.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/packed_tokens.hpp"
#include "layers/embedding.hpp"
#include "layers/linear.hpp"
#include "layers/sub_layers.hpp"
#include "layers/transformer_stack.hpp"
#include "models/settings.hpp"

namespace headwater {

struct ClassBatch {
  PackedTokens source;
  std::vector<std::int32_t> segment_of;  // of pairs of texts: one a token, 0 in the first, 1 in the second
  std::vector<Real> values;              // of bags of words: one a token of `source`, how much it counts
  SequenceRows rows;                     // one row a sequence
  TokenSubset words;                     // of the sequences that were filled: the tokens that are not padding
  std::vector<std::int32_t> labels;      // one a sequence; empty where they are to be found

  void clear();
  // `length` > 0: ids are filled up to so many with padding (id 0).
  void add(std::span<const std::int32_t> ids, Index length = 0);
  // The same of a pair, whose second text begins with the token at `second`. All sequences or none.
  void add_pair(std::span<const std::int32_t> ids, Index second, Index length = 0);
  // A sequence that an earlier part of the global batch holds: before the first add.
  void skip(std::span<const std::int32_t> ids, Index length = 0);
  // After the last add.
  void finish(const BatchPart& part);
  void finish() { finish(BatchPart::whole(source.sequences())); }
};

// What the positions that a short text leaves empty hold. attended: padding up to `length` that counts as
// tokens; pooled: padding that is pooled, but not attended to.
enum class Padding { none, attended, pooled };

struct TextEncoderSettings {
  TransformerSettings transformer;
  MixingSettings mixing;
  std::int64_t encoder_layers = 1;
  std::int64_t segments = 0;          // 2: a table for the two texts of a pair; 0: none
  bool embedding_norm = false;        // a layer norm after the sum of the embeddings
  std::int64_t uncounted_token = -1;  // its tokens have the position of padding, and positions go on without
                                      // them (RoBERTa's pad_token_id); -1: none
  Padding padding = Padding::none;
};

// How the names of the parameters of its blocks begin.
inline constexpr std::string_view kEncoderBlocks = "encoder.";

class TextEncoder {
 public:
  // Parameters embedding.tokens, .positions, .segments, .norm and encoder.0, encoder.1, ...
  TextEncoder(LayerBuilder& builder, const TextEncoderSettings& settings, Index vocabulary);

  // Tokens [T] -> [T, D]. segment_of: one of each token, below `segments`; empty: all of segment 0. `words`:
  // with padding pooled the tokens that are attended to.
  Variable operator()(const ForwardContext& context, const PackedTokens& tokens,
                      std::span<const std::int32_t> segment_of, const TokenSubset& words,
                      std::vector<AttentionTrace>* traces = nullptr) const;
  // The same after the first `layers` blocks.
  Variable states(const ForwardContext& context, const PackedTokens& tokens,
                  std::span<const std::int32_t> segment_of, const TokenSubset& words, Index layers) const;
  // What the first block reads: [T, D].
  Variable embed(const ForwardContext& context, const PackedTokens& tokens,
                 std::span<const std::int32_t> segment_of) const;
  // The row of the table of positions of each token: with an uncounted token the first is padding's.
  std::span<const std::int32_t> position_rows(const ForwardContext& context,
                                              const PackedTokens& tokens) const;

  // To how many tokens a batch fills a sequence of so many words with padding; 0: it does not.
  Index padded_length(Index words) const;
  const TextEncoderSettings& settings() const { return settings_; }
  Index width() const { return settings_.transformer.width; }
  Parameter& tokens() const { return embedding_.tokens(); }
  const TransformerStack& blocks() const { return blocks_; }

  // A row for the embeddings, one for each block.
  void summarize(const Parameters& parameters, std::vector<LayerSummary>& rows) const;

 private:
  TextEncoderSettings settings_;
  Embedding embedding_;
  Parameter* segments_ = nullptr;
  std::optional<Norm> norm_;
  Dropout dropout_;
  TransformerStack blocks_;
};

struct TextEmbedderSettings : TextEncoderSettings {
  ops::Pooling pooling = ops::Pooling::mean;  // not last
  bool pooler = false;          // has the dense layer that classifiers may read; no vector is made by it
  bool normalize = false;       // vectors have the length 1
  std::int64_t max_tokens = 0;  // of a text that are read, special ones counted; 0: all positions
};

// Tokens of a text that are read.
Index tokens_read(const TextEmbedderSettings& settings);
// Each row to the length 1; a row of zeros stays. The sum of squares is an ascending chain in double
// precision.
void normalize_rows(Matrix rows);

class TextEmbedder {
 public:
  // Declares its parameters; call parameters().allocate() next. Throws UsageError where settings do not fit
  // together.
  TextEmbedder(const TextEmbedderSettings& settings, Index vocabulary);

  Parameters& parameters() { return parameters_; }
  const Parameters& parameters() const { return parameters_; }
  const TextEmbedderSettings& settings() const { return settings_; }
  Index vocabulary() const { return vocabulary_; }
  const TextEncoder& encoder() const { return encoder_; }
  Index length() const { return tokens_read(settings_); }

  std::vector<LayerSummary> summary() const;

 private:
  TextEmbedderSettings settings_;
  Index vocabulary_;
  Parameters parameters_;
  LayerBuilder builder_;
  TextEncoder encoder_;
  std::optional<Linear> pooler_;
};

}  // namespace headwater
