#include "models/transformer_stack.hpp"

#include <span>

namespace headwater {

TransformerStack::TransformerStack(LayerBuilder& builder, const std::string& name,
                                   const BlockSettings& settings, Index layers)
    : name_(name) {
  BlockSettings block = settings;
  for (Index i = 0; i < layers; ++i) {
    block.gives_last = settings.gives_last && i + 1 == layers;
    blocks_.emplace_back(builder, name + "." + std::to_string(i), block);
    block.inputs = 0;  // it reads the block before
  }
  const bool has_norms = settings.is_pre_norm() && !settings.mixing.is_recurrent();
  if (has_norms && settings.has_final_norm && layers > 0)
    norm_.emplace(builder, name + ".norm", settings.attention.width, settings);
}

Variable TransformerStack::run_blocks(const ForwardContext& context, Variable x, const MixerSources& sources,
                                      std::vector<AttentionTrace>* traces, Variable* last) const {
  Index layer = 0;
  for (const TransformerBlock& block : blocks_) {
    const MixerOutput out = block(context, x, sources);
    x = out.hidden;
    if (last != nullptr) *last = out.last;
    const bool is_causal = block.settings().causality == Causality::causal;
    if (traces && out.self.output)
      traces->push_back({is_causal ? AttentionKind::decoder : AttentionKind::encoder, layer, out.self});
    if (traces && out.cross.output) traces->push_back({AttentionKind::cross, layer, out.cross});
    ++layer;
  }
  return x;
}

Variable TransformerStack::states(const ForwardContext& context, const Variable& x, Index layers,
                                  const MixerSources& sources) const {
  const auto count = static_cast<std::size_t>(layers);
  if (count == blocks_.size()) return (*this)(context, x, sources);
  Variable y = x;
  for (const TransformerBlock& block : std::span(blocks_).first(count)) y = block(context, y, sources).hidden;
  return y;
}

void TransformerStack::summarize(const Parameters& parameters, const std::string& shape, Index length,
                                 std::vector<LayerSummary>& rows) const {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const std::string name = name_ + "." + std::to_string(i);
    const TransformerBlock& block = blocks_[i];
    rows.push_back(layer_summary(parameters, name, shape, block.flops(length), length));
    if (!block.mixer().multiplies_columns) continue;
    const std::string part = name + "." + std::string(block.mixer().part) + ".";
    for (TensorSummary& tensor : rows.back().tensors) {
      if (tensor.name.starts_with(part))
        tensor.flops = tensor.flops / static_cast<double>(length) *
                       static_cast<double>(block.settings().attention.width);
    }
  }
  if (norm_) rows.push_back(layer_summary(parameters, name_ + ".norm", shape, 0, 0));
}

}  // namespace headwater
