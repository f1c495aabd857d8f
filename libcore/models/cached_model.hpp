// What decoding needs of a model that continues sequences of tokens, and what is kept of sequences while they
// are continued.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/packed_tokens.hpp"
#include "layers/output_layer.hpp"
#include "layers/transformer_stack.hpp"

namespace headwater {

// What a decoder reads of sources.
struct EncodedSource {
  Variable memory;     // [S, D]
  Variable last = {};  // [sequences, D] of a recurrent encoder, the states that the decoder starts from
};

// An encoder-decoder or a language model.
class CachedModel {
 public:
  virtual ~CachedModel() = default;
  virtual const Parameters& parameters() const = 0;
  // Positions: so many ids of a sequence may be read, those of the prompt included.
  virtual Index length() const = 0;
  // Runs the encoder over source tokens [S]; nothing where a model has none.
  virtual EncodedSource encode_source(const ForwardContext& context, const PackedTokens& source) const = 0;
  // Ids that are continued, and their positions -> [T, D].
  virtual Variable embed_target(const ForwardContext& context, const Packing& packing,
                                std::span<const std::int32_t> ids,
                                std::span<const std::int32_t> position_of) const = 0;
  virtual const TransformerStack& decoder() const = 0;
  virtual const OutputLayer& output_layer() const = 0;
};

// Sequences to continue: each has at least one id, the start token or a text. For an encoder-decoder each has
// a source that is not empty, for a language model an empty one.
struct Prompts {
  PackedTokens source, target;

  void clear();
  void add(std::span<const std::int32_t> source_ids, std::span<const std::int32_t> target_ids);
  void finish();
  Index sequences() const { return target.sequences(); }
  Prompts part(Index begin, Index end) const;
};

// Sequences that are continued side by side, a slot each: what all layers keep of them.
class DecoderState {
 public:
  struct Size {
    Index capacity = 0;          // ids that a slot may read
    Index slots_per_prompt = 1;  // slots i·k to i·k + k - 1 begin as copies of prompt i
  };
  // All ids of a prompt but the last are read here, the last by the first step. Caches lie in the arena of
  // the context's tape, which does not record.
  DecoderState(const CachedModel& model, const ForwardContext& context, const Prompts& prompts, Size size);

  // Reads ids[b] as the next id of slot slots[b] (each at most once): what the output layer reads, [B, D].
  // The same bits as the whole sequence read at once, whatever else is in the batch.
  Variable step(const ForwardContext& context, std::span<const Index> slots,
                std::span<const std::int32_t> ids);

  // Slot i goes on where slot from[i] stands; there are from.size() slots then, at most as many as at first.
  // After the first calls it allocates nothing.
  // A slot that several go on from is copied for all but one of them; others only change their names.
  void reorder(std::span<const Index> from);

  // What these slots read before is forgotten; each reads the text given instead (sequence i: slots[i]), all
  // of it. Of models without a source.
  void reread(const ForwardContext& context, std::span<const Index> slots, const PackedTokens& texts);

  Index slots() const { return static_cast<Index>(slots_.size()); }
  Index length(Index slot) const { return slots_[slot].length; }  // ids read

 private:
  struct Slot {
    Index self, memory;  // where its keys stand in the two caches
    Index length;
  };
  void cache_memory(const ForwardContext& context, const PackedTokens& source, const EncodedSource& encoded,
                    Index slots_per_prompt);
  void read_prompts(const ForwardContext& context, const PackedTokens& prompts, const EncodedSource& encoded,
                    Index slots_per_prompt);
  // texts: of slots slots[i], which have read nothing.
  void read(const ForwardContext& context, const PackedTokens& texts, std::span<const Index> slots,
            const EncodedSource& encoded);

  const CachedModel& model_;
  std::vector<Slot> slots_, next_;
  std::size_t places_;                 // slots of the self caches
  std::vector<Index> memory_lengths_;  // of each source
  std::vector<BlockCache> caches_;     // of each layer
  std::vector<Index> uses_;            // of each place, by slots after reorder()
  // What the rows of a step need:
  std::vector<Index> offsets_, positions_, self_slots_, self_ends_, memory_slots_, memory_ends_;
  std::vector<std::int32_t> ids_at_;
};

}  // namespace headwater
