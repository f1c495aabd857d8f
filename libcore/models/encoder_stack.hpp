// The encoder that all models share: its blocks, and the norm at the end of a pre-norm stack.
#pragma once

#include <optional>
#include <vector>

#include "layers/blocks.hpp"
#include "models/attention_trace.hpp"
#include "models/layer_summary.hpp"
#include "models/settings.hpp"

namespace headwater {

class EncoderStack {
 public:
  // Throws UsageError where settings do not fit together.
  EncoderStack(LayerBuilder& builder, const TransformerSettings& settings, Index layers,
               const MixingSettings& mixing = {});

  // Embedded tokens [S, D] -> [S, D]. Blocks that mix otherwise than by attention leave no trace. `keys`: as
  // of EncoderBlock.
  Variable operator()(const StepContext& context, Variable x, std::vector<AttentionTrace>* traces,
                      const KeyTokens* keys = nullptr) const;

  // A row for each block, and one for the norm.
  void summarize(const Parameters& parameters, std::vector<LayerSummary>& rows) const;

 private:
  TransformerSettings settings_;
  MixingSettings mixing_;
  std::vector<EncoderBlock> blocks_;
  std::optional<LayerNorm> norm_;
};

// Multiplications and additions of a sequence of settings.length tokens: of attention over as many keys, with
// its four projections, and of the layers behind it.
double attention_flops(const TransformerSettings& settings);
double feed_forward_flops(const TransformerSettings& settings);

}  // namespace headwater
