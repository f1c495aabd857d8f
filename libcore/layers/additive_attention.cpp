#include "layers/additive_attention.hpp"

#include <algorithm>
#include <array>

namespace headwater {

static Linear map_without_bias(LayerBuilder& builder, const std::string& name, Index width) {
  const double d = static_cast<double>(width);
  return Linear(builder, name, {width, width}, {}, width, width, d, d);
}

AdditiveAttention::AdditiveAttention(LayerBuilder& builder, const std::string& name, Index width)
    : to_query_(map_without_bias(builder, name + ".query", width)),
      to_key_(map_without_bias(builder, name + ".key", width)),
      score_(builder.parameters.declare(name + ".score.weight", {width}, 1, width,
                                        Initializer::glorot_uniform, static_cast<double>(width), 1)),
      to_output_(builder, name + ".output", 2 * width, width, ops::Activation::tanh) {}

AdditiveAttention::Output AdditiveAttention::operator()(const ForwardContext& context, const Variable& states,
                                                        const Variable& memory) const {
  const ops::AdditiveAttention found = ops::additive_attention(context.tape, to_query_(context, states),
                                                               to_key_(context, memory), *score_, memory);
  return {combined(context, states, found.output), found.weights};
}

Variable AdditiveAttention::combined(const ForwardContext& context, const Variable& states,
                                     const Variable& found) const {
  const std::array<Variable, 2> both{states, found};
  return to_output_(context, ops::concatenate(context.tape, both));
}

AdditiveMemory AdditiveAttention::remember(const ForwardContext& context, const Variable& memory) const {
  const Matrix keys = context.tape.arena().matrix(memory.rows(), memory.cols());
  to_key_(context, memory.value(), keys);
  return {keys, memory.value()};
}

Variable AdditiveAttention::step(const ForwardContext& context, const Variable& states,
                                 const AdditiveMemory& memory, std::span<const Index> begins,
                                 std::span<const Index> ends) const {
  const Index rows = states.rows();
  Tape& tape = context.tape;
  Index most = 0;
  for (std::size_t b = 0; b < begins.size(); ++b) most = std::max(most, ends[b] - begins[b]);
  Index* const offsets = tape.arena().allocate_array<Index>(rows + 1);
  for (Index b = 0; b <= rows; ++b) offsets[b] = b;
  const Variable found = tape.variable(rows, memory.values.cols, nullptr, false);
  const Variable query = to_query_(context, states);
  kernels::additive_attention(query.value(), memory.keys, score_->value.data, memory.values,
                              {{offsets, static_cast<std::size_t>(rows) + 1}, begins, ends}, found.value(),
                              tape.arena().matrix(rows, most));
  return combined(context, states, found);
}

}  // namespace headwater
