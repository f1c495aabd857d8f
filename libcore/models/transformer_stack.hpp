// The blocks that encoders and decoders are made of, and the norm at the end of pre-norm ones.
#pragma once

#include <new>
#include <optional>
#include <string>
#include <vector>

#include "autograd/tape.hpp"
#include "layers/transformer_block.hpp"
#include "models/attention_trace.hpp"
#include "models/layer_summary.hpp"

namespace headwater {

// The packing of PackedTokens, SequenceRows or TokenSubset, kept in the tape's arena.
template <class Rows>
const Packing& pack(Tape& tape, const Rows& rows) {
  return *new (tape.arena().allocate(sizeof(Packing))) Packing{rows.offsets, &rows.plan, rows.first_token};
}

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
