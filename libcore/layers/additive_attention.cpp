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

AdditiveMemory AdditiveAttention::remember(const ForwardContext& context, const Variable& memory,
                                           std::span<const Index> offsets) const {
  Arena& arena = context.tape.arena();
  const Matrix keys = arena.matrix(memory.rows(), memory.cols());
  to_key_(context, memory.value(), keys);
  const std::span<Index> kept(arena.allocate_array<Index>(static_cast<Index>(offsets.size())),
                              offsets.size());
  std::ranges::copy(offsets, kept.begin());
  return {keys, memory.value(), kept};
}

Variable AdditiveAttention::step(const ForwardContext& context, const Variable& states,
                                 const AdditiveMemory& memory, std::span<const Index> sources) const {
  const Index rows = states.rows();
  Tape& tape = context.tape;
  const auto numbers = [&tape](Index count) {
    return std::span(tape.arena().allocate_array<Index>(count), static_cast<std::size_t>(count));
  };
  const std::span<Index> offsets = numbers(rows + 1), begins = numbers(rows), ends = numbers(rows);
  Index most = 0;
  offsets[0] = 0;
  for (std::size_t b = 0; b < sources.size(); ++b) {
    const auto source = static_cast<std::size_t>(sources[b]);
    offsets[b + 1] = static_cast<Index>(b) + 1;
    begins[b] = memory.offsets[source];
    ends[b] = memory.offsets[source + 1];
    most = std::max(most, ends[b] - begins[b]);
  }
  const Variable found = tape.variable(rows, memory.values.cols, states.packing_or_null(), false);
  const Variable query = to_query_(context, states);
  kernels::additive_attention(query.value(), memory.keys, score_->value.data, memory.values,
                              {offsets, begins, ends}, found.value(), tape.arena().matrix(rows, most));
  return combined(context, states, found);
}

}  // namespace headwater
