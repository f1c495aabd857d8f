// The Transformer block and stacks of blocks, of encoders and decoders.
#pragma once

#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/parameter.hpp"
#include "autograd/tape.hpp"
#include "layers/dropout.hpp"
#include "layers/mixers/attention.hpp"
#include "layers/mixers/mixer.hpp"
#include "layers/sub_layers.hpp"
#include "support/enum_names.hpp"

namespace headwater {

struct TensorSummary {
  std::string name;
  std::vector<Index> shape;
  Index parameters = 0;
  double flops = 0;  // of the products with it; 0 of tables, which rows are taken from, and of vectors
};

struct LayerSummary {
  std::string name;
  std::string output_shape;  // letters for what depends on the input: "[S, 256]"
  Index parameters = 0;
  double flops = 0;  // a forward pass over one example of the full length
  // Its parameters. The FLOPs that they leave over are products of other things: attention's scores and
  // weighted sums, an output layer with the table of another layer.
  std::vector<TensorSummary> tensors = {};

  double other_flops() const {
    double left = flops;
    for (const TensorSummary& tensor : tensors) left -= tensor.flops;
    return left;
  }
};

// The layer whose parameters' names begin with its own; each of its matrices is multiplied with so many rows
// in a pass.
LayerSummary layer_summary(const Parameters& parameters, const std::string& name, std::string output_shape,
                           double flops, Index rows);

// Who looks at whom: the encoder at itself, the decoder at itself, the decoder at the encoder.
enum class AttentionKind { encoder, decoder, cross };

// Where the weights of one layer can be read from (kernels::attention_weights); valid until the arena is
// reset.
struct AttentionTrace {
  AttentionKind kind;
  Index layer;
  AttentionOutput attention;
};

// What a block keeps of the sequences that it continues.
struct BlockCache {
  std::unique_ptr<MixerCache> mixer;
  kernels::AttentionCache memory = {};  // cross-attention: keys and values of the encoder's output
};

// A mixer of the tokens, attention over an encoder's output where it is asked for, feed-forward; each is a
// residual sub-layer.
//
// Post-norm (Vaswani et al. 2017): z = norm(x + mixer(x)); y = norm(z + feed_forward(z)).
// Pre-norm (Xiong et al. 2020): z = x + mixer(norm(x)); y = z + feed_forward(norm(z)).
// A block whose mixer is recurrent is that mixer alone, and dropout: neither residuals nor norms.
class TransformerBlock {
 public:
  TransformerBlock(LayerBuilder& builder, const std::string& name, const BlockSettings& settings);

  // x [T, D] -> [T, D], and what its mixer gave beside the tokens.
  MixerOutput operator()(const ForwardContext& context, const Variable& x,
                         const MixerSources& sources = {}) const;

  // For steps of a causal block, in the arena: `slots` sequences of at most `capacity` tokens, without
  // memory.
  BlockCache new_cache(Arena& arena, Index slots, Index capacity) const {
    return {.mixer = mixer_->new_cache(arena, slots, capacity)};
  }
  // What steps read of memory [S, D], of these sources, in the arena.
  void remember(const ForwardContext& context, const Variable& memory, std::span<const Index> offsets,
                BlockCache& cache) const;
  // Whole sequences, x [T, D] -> [T, D], and one new token of each, x [B, D] -> [B, D], as MixerCache has
  // them.
  Variable read(const ForwardContext& context, const Variable& x, const MixerSources& sources,
                const BlockCache& cache, const CacheRows& rows) const;
  Variable step(const ForwardContext& context, const Variable& x, const BlockCache& cache,
                const CachedStep& at) const;

  // Multiplications and additions over `length` tokens, of source and target.
  double flops(Index length) const;

  const BlockSettings& settings() const { return settings_; }
  const MixerKind& mixer() const { return *kind_; }

 private:
  // The sub-layers around these ways to mix tokens and to attend to the memory.
  template <class Mix, class Attend>
  Variable run(const ForwardContext& context, const Variable& x, const Mix& mix, const Attend& attend) const;

  BlockSettings settings_;
  const MixerKind* kind_;
  std::unique_ptr<Mixer> mixer_;
  Dropout mixer_dropout_;  // where there is no residual
  std::optional<Residual> mixing_residual_;
  std::optional<MultiHeadAttention> cross_attention_;
  std::optional<Residual> cross_residual_;
  std::optional<FeedForward> feed_forward_;
  std::optional<Residual> feed_forward_residual_;
};

// The packing of `rows`, from their offsets, plan and first token, kept in the tape's arena.
template <class Rows>
const Packing& pack(Tape& tape, const Rows& rows) {
  return *new (tape.arena().allocate(sizeof(Packing))) Packing{rows.offsets, &rows.plan, rows.first_token};
}

// Blocks one after the other, and the norm at the end of pre-norm ones.
class TransformerStack {
 public:
  // Parameters `name`.0, `name`.1, ... and `name`.norm.
  TransformerStack(LayerBuilder& builder, const std::string& name, const BlockSettings& settings,
                   Index layers);

  // x [T, D] -> [T, D]: all blocks, then the norm.
  Variable operator()(const ForwardContext& context, const Variable& x, const MixerSources& sources = {},
                      std::vector<AttentionTrace>* traces = nullptr) const {
    return norm(context, run_blocks(context, x, sources, traces));
  }
  // The two halves of it. Blocks that mix otherwise than by attention leave no trace. `last` receives what
  // the last block gives so.
  Variable run_blocks(const ForwardContext& context, Variable x, const MixerSources& sources = {},
                      std::vector<AttentionTrace>* traces = nullptr, Variable* last = nullptr) const;
  // The first `layers` of the blocks, and the norm where these are all of them.
  Variable states(const ForwardContext& context, const Variable& x, Index layers,
                  const MixerSources& sources = {}) const;
  Variable norm(const ForwardContext& context, const Variable& x) const {
    return norm_ ? (*norm_)(context, x) : x;
  }

  const std::vector<TransformerBlock>& blocks() const { return blocks_; }

  // A row for each block, and one for the norm; `shape` of what they return, for `length` tokens.
  void summarize(const Parameters& parameters, const std::string& shape, Index length,
                 std::vector<LayerSummary>& rows) const;

 private:
  std::string name_;
  std::vector<TransformerBlock> blocks_;
  std::optional<Norm> norm_;
};

}  // namespace headwater
