// What mixes the tokens of a sequence in a block: attention, or what stands in its place. Each mixer is a
// class of a file of this folder, and its row stands behind it; mixer.cpp lists the rows. A block finds its
// mixer by name and calls it once for all tokens. Families make the rows of recipes from these rows.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "layers/mixers/attention.hpp"

namespace headwater {

// The keys of a recipe.
struct MixingSettings {
  std::string mixing = "attention";  // name of a mixer
  std::int64_t mixing_width = 0;     // mlp: hidden layer of the token mixing; 0: feed_forward_width
  std::int64_t kernel_size = 3;      // convolution: tokens that one is made of, an odd number
  bool bidirectional = false;        // lstm, gru: a layer from each end, whose states are added
  bool reset_after = true;           // gru: the reset gate acts on the product with the state, not the state

  // As the mixer's row says; false if no mixer has this name.
  bool is_recurrent() const;
  bool has_attention() const;
};

// What a mixer is built from. Each reads the width of `attention`, and of the rest what it needs.
struct MixerSettings {
  AttentionLayerSettings attention = {};
  Causality causality = Causality::full;
  bool has_cross_attention = false;  // recurrent: its states attend to the memory
  ops::Activation activation = ops::Activation::relu;
  MixingSettings mixing = {};
  Index length = 0;         // mlp: N, the longest sequence
  Index columns = 0;        // convolution: tokens in a row of an image; 0: a line
  Index inputs = 0;         // recurrent: width of what it reads; 0: its own
  bool gives_last = false;  // recurrent: MixerOutput::last is wanted
};

// Some of the tokens, for attention that does not read all: each token still has a query.
struct KeyTokens {
  std::span<const std::int32_t> tokens;  // ascending
  const Packing& packing;                // theirs
};

// What is read besides x.
struct MixerSources {
  Variable memory = {};             // cross-attention: the encoder's output [S, D]
  Variable initial = {};            // recurrent: states before the first tokens; none: 0
  const KeyTokens* keys = nullptr;  // self-attention: null for all tokens of x
};

struct MixerOutput {
  Variable hidden;                        // [T, D]
  AttentionOutput self = {}, cross = {};  // empty where there is no such attention
  Variable last = {};  // recurrent, where wanted: [sequences, D], the states after all tokens, added
};

// Where the tokens of a step stand: row b becomes token positions[b] of slot self.slots[b], whose length
// counts it already.
struct CachedStep {
  std::span<const Index> positions;
  CacheView self, memory;
};

// A causal mixer that continues sequences, and what it keeps of each, a slot a sequence.
class MixerCache {
 public:
  virtual ~MixerCache() = default;
  // Sequences from their first tokens on, x [T, D] -> [T, D], the bits of the mixer. Row b becomes token
  // positions[b] of slot slots[b].
  virtual Variable read(const ForwardContext& context, const Variable& x, const MixerSources& sources,
                        const CacheRows& rows) = 0;
  // One new token of each sequence, x [B, D] -> [B, D]: the bits of whole sequences.
  virtual Variable step(const ForwardContext& context, const Variable& x, const CachedStep& at) = 0;
  // What is kept of the first `length` tokens of slot `from`, to slot `to`.
  virtual void copy_slot(Index from, Index to, Index length) = 0;
  // Recurrent: the state of this slot before its first token; null: 0.
  virtual void begin(Index /*slot*/, const Real* /*state*/) {}
  // Recurrent: what steps read of memory [S, D], of source s in the rows offsets[s] to offsets[s + 1] - 1.
  virtual void remember(const ForwardContext& /*context*/, const Variable& /*memory*/,
                        std::span<const Index> /*offsets*/) {}
};

class Mixer {
 public:
  virtual ~Mixer() = default;
  // x [T, D] -> [T, D]
  virtual MixerOutput operator()(const ForwardContext& context, const Variable& x,
                                 const MixerSources& sources) const = 0;
  // In the arena: `slots` sequences of at most `capacity` tokens. Null where the mixer takes no steps.
  virtual std::unique_ptr<MixerCache> new_cache(Arena& /*arena*/, Index /*slots*/, Index /*capacity*/) const {
    return nullptr;
  }
  // Multiplications and additions over a sequence of `length` tokens.
  virtual double flops(Index length) const = 0;
};

// A recipe key that only some mixers read.
struct MixerKey {
  std::string_view name;
  std::variant<bool MixingSettings::*, std::int64_t MixingSettings::*> member;
  std::string_view meaning;
  // Where the value is a number: inclusive bounds, and what it counts.
  std::int64_t min = 0, max = 0;
  std::string_view unit = {};
  bool follows_feed_forward = false;  // 0: feed_forward_width
  bool is_of_encoders = false;        // it needs the tokens that follow
  // What is wrong with its value; empty: nothing.
  std::string (*fault)(const MixingSettings& settings) = nullptr;
};

struct MixerKind {
  std::string_view name;       // in recipes
  std::string_view meaning;    // of the name, with its paper
  std::string_view part = {};  // its parameters are `block`.part
  std::span<const MixerKey> keys = {};

  // Which models may use it, and how.
  bool encodes_texts = true, encodes_images = true;  // it can look ahead
  bool takes_steps = false;                          // it can be causal, and has a cache: for decoders
  bool begins_with_state = false;    // recurrent: with MixerSources::initial, for decoders with an encoder
  bool leaves_out_keys = false;      // MixerSources::keys
  bool needs_patches_alone = false;  // of an image: tokens in rows and columns, no class token

  // What it is.
  bool has_attention = false;       // whose weights can be shown
  bool is_recurrent = false;        // a block then has no norms, residual sums and feed-forward
  bool multiplies_columns = false;  // its matrices apply to the columns of a sequence, not to the tokens
  // The one head_width that fits, 0 if none does, and what such heads are. Null: any fits.
  Index (*head_width)(const AttentionLayerSettings& settings) = nullptr;
  std::string_view heads = {};
  // What is wrong with head_width, and what to do; empty: nothing.
  std::string heads_fault(const AttentionLayerSettings& settings) const;

  std::unique_ptr<Mixer> (*construct)(LayerBuilder& builder, const std::string& block,
                                      const MixerSettings& settings);
  // Throws UsageError if the heads do not fit.
  std::unique_ptr<Mixer> make(LayerBuilder& builder, const std::string& block,
                              const MixerSettings& settings) const;
};
template <class M>
std::unique_ptr<Mixer> construct_mixer(LayerBuilder& builder, const std::string& block,
                                       const MixerSettings& settings) {
  return std::make_unique<M>(builder, block, settings);
}

std::span<const MixerKind* const> mixer_kinds();
// Throws Error if no mixer has this name.
const MixerKind& mixer_kind(std::string_view name);

}  // namespace headwater
