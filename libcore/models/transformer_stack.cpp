#include "models/transformer_stack.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace headwater {

namespace {

// Attention over as many keys as queries, with its four projections. A window of W leaves a query at most 2W
// - 1 keys, W of a causal one.
double attention_flops(const AttentionLayerSettings& attention, double n, double window) {
  const double d = static_cast<double>(attention.width),
               inner = static_cast<double>(attention.heads * attention.head_width);
  return 2 * 4 * n * d * inner + 2 * 2 * n * (window > 0 ? std::min(n, window) : n) * inner;
}

// Multiplications and additions of a block over `length` tokens.
double block_flops(const BlockSettings& block, Index length) {
  const double n = static_cast<double>(length), d = static_cast<double>(block.attention.width);
  if (block.mixing == Mixing::recurrent) {  // of the token and of the state before
    const double layers = block.recurrent.is_bidirectional ? 2 : 1,
                 inputs = block.recurrent.inputs > 0 ? static_cast<double>(block.recurrent.inputs) : d;
    const double additive = block.has_cross_attention ? 2 * n * d * (4 * d + 3 * n) : 0;
    return layers * 2 * n * (inputs + d) * d * static_cast<double>(kernels::gates_of(block.recurrent.cell)) +
           additive;
  }
  const Index window = block.attention.window, sides = block.causality == Causality::causal ? 1 : 2;
  double mixing =
      attention_flops(block.attention, n, window > 0 ? static_cast<double>(sides * window - sides + 1) : 0);
  if (block.mixing == Mixing::averaged_attention)  // no projection of values
    mixing -= 2 * n * d * static_cast<double>(block.attention.heads * block.attention.head_width);
  if (block.mixing == Mixing::mlp) mixing = 2 * 2 * n * static_cast<double>(block.mixing_width) * d;
  if (block.mixing == Mixing::fourier) mixing = 5 * n * d * std::log2(n * d) / 2;  // of real numbers
  if (block.mixing == Mixing::convolution)
    mixing = 2 * n * d * (static_cast<double>(block.neighborhood.taps()) + d);
  if (block.has_cross_attention) mixing += attention_flops(block.attention, n, 0);
  return mixing + 2 * 2 * n * d * static_cast<double>(block.feed_forward_width);
}

}  // namespace

TransformerStack::TransformerStack(LayerBuilder& builder, const std::string& name,
                                   const BlockSettings& settings, Index layers)
    : name_(name) {
  BlockSettings block = settings;
  for (Index i = 0; i < layers; ++i) {
    block.recurrent.gives_last = settings.recurrent.gives_last && i + 1 == layers;
    blocks_.emplace_back(builder, name + "." + std::to_string(i), block);
    block.recurrent.inputs = 0;  // it reads the block before
  }
  const bool has_norms = settings.norm_place == NormPlace::pre && settings.mixing != Mixing::recurrent;
  if (has_norms && settings.has_final_norm && layers > 0)
    norm_.emplace(builder, name + ".norm", settings.attention.width, settings.norm_epsilon);
}

Variable TransformerStack::run_blocks(const ForwardContext& context, Variable x,
                                      const AttentionSources& sources, std::vector<AttentionTrace>* traces,
                                      Variable* last) const {
  Index layer = 0;
  for (const TransformerBlock& block : blocks_) {
    const BlockOutput out = block(context, x, sources);
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
                                  const AttentionSources& sources) const {
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
    const BlockSettings& block = blocks_[i].settings();
    rows.push_back(layer_summary(parameters, name, shape, block_flops(block, length), length));
    for (TensorSummary& tensor : rows.back().tensors) {  // what mixes tokens is multiplied for each channel
      if (tensor.name.starts_with(name + ".token_mixing."))
        tensor.flops =
            tensor.flops / static_cast<double>(length) * static_cast<double>(block.attention.width);
    }
  }
  if (norm_) rows.push_back(layer_summary(parameters, name_ + ".norm", shape, 0, 0));
}

}  // namespace headwater
