#include "layers/attention.hpp"

#include <algorithm>
#include <cmath>

namespace headwater {

namespace {

// The kernel is saved as [D, H, K], and its fans are those that Keras takes: of a convolution. Or they are
// the inputs and outputs of the map.
Linear projection(LayerBuilder& builder, const std::string& name, const AttentionLayerSettings& s) {
  const double d = static_cast<double>(s.width), h = static_cast<double>(s.heads),
               k = static_cast<double>(s.head_width);
  return Linear(builder, name, {s.width, s.heads, s.head_width}, {s.heads, s.head_width}, s.width,
                s.heads * s.head_width, s.has_dense_fans ? d : d * h, s.has_dense_fans ? h * k : d * k);
}

// Saved as [H, K, D].
Linear output_projection(LayerBuilder& builder, const std::string& name, const AttentionLayerSettings& s) {
  const double d = static_cast<double>(s.width), h = static_cast<double>(s.heads),
               k = static_cast<double>(s.head_width);
  return Linear(builder, name, {s.heads, s.head_width, s.width}, {s.width}, s.heads * s.head_width, s.width,
                h * k, s.has_dense_fans ? d : h * d);
}

}  // namespace

void head_weights(const AttentionOutput& attention, const kernels::AttentionShape& shape, Index sequence,
                  Index head, Matrix weights) {
  if (!attention.weights) {
    kernels::attention_weights(attention.queries.value(), attention.keys.value(), shape, sequence, head,
                               weights);
    return;
  }
  const Index first = shape.query_offsets[static_cast<std::size_t>(sequence)];
  for (Index i = 0; i < weights.rows; ++i)
    std::copy_n(attention.weights.row(first + i), weights.cols, weights.row(i));
}

// A window of W leaves a query at most 2W - 1 keys, W of a causal one.
static Index seen_keys(const AttentionLayerSettings& settings, Index length, Causality causality) {
  const Index W = settings.window, seen = causality == Causality::causal ? W : 2 * W - 1;
  return W > 0 ? std::min(length, seen) : length;
}

double weighting_flops(const AttentionLayerSettings& settings, Index length, Causality causality) {
  return 2 * 2 * static_cast<double>(length * settings.heads * settings.head_width) *
         static_cast<double>(seen_keys(settings, length, causality));
}

double attention_flops(const AttentionLayerSettings& settings, Index length, Causality causality) {
  return 2 * 2 * static_cast<double>(length * settings.heads * settings.head_width) *
         static_cast<double>(2 * settings.width + seen_keys(settings, length, causality));
}

ops::AttentionSettings attention_op_settings(const ForwardContext& context,
                                             const AttentionLayerSettings& settings, Causality causality,
                                             std::uint32_t random_layer) {
  return {.heads = settings.heads,
          .is_causal = causality == Causality::causal,
          .window = settings.window,
          .dropout = context.tape.is_recording() ? static_cast<Real>(settings.dropout) : Real(0),
          .stream = context.stream(Purpose::attention_dropout, random_layer)};
}

kernels::AttentionCache new_attention_cache(const AttentionLayerSettings& settings, Arena& arena, Index slots,
                                            Index capacity) {
  kernels::AttentionCache cache;
  cache.heads = settings.heads;
  cache.head_width = settings.head_width;
  cache.window = settings.window;
  cache.capacity = kernels::cache_capacity(capacity, settings.window);
  cache.keys = arena.allocate_array<Real>(cache.key_floats(slots));
  cache.values = arena.allocate_array<Real>(cache.value_floats(slots));
  return cache;
}

Variable weigh_cached(const ForwardContext& context, ConstMatrix queries,
                      const kernels::AttentionCache& cache, const CacheView& view) {
  const Variable mixed = context.tape.variable(queries.rows, queries.cols, nullptr, false);
  const Real scale = Real(1) / std::sqrt(static_cast<Real>(cache.head_width));
  kernels::attention_over_cache(queries, cache, view.slots, view.lengths, scale, mixed.value());
  return mixed;
}

MultiHeadAttention::MultiHeadAttention(LayerBuilder& builder, const std::string& name,
                                       const AttentionLayerSettings& settings)
    : settings_(settings),
      to_query_(projection(builder, name + ".query", settings)),
      to_key_(projection(builder, name + ".key", settings)),
      to_value_(projection(builder, name + ".value", settings)),
      to_output_(output_projection(builder, name + ".output", settings)),
      random_layer_(random_layer(name)) {}

ops::Projected MultiHeadAttention::projected(const ForwardContext& context, const Variable& queries,
                                             const Variable& memory) const {
  ops::Projected all;
  if (queries == memory) {
    all = project(context, queries, {&to_query_, &to_key_, &to_value_});
  } else {
    const auto [k, v, none] = project(context, memory, {&to_key_, &to_value_});
    all = {to_query_(context, queries), k, v};
  }
  if (settings_.rotary) {
    for (const std::size_t i : {0, 1})
      all[i] = ops::rotate(context.tape, all[i], settings_.rotary->view(), ops::Use::donate);
  }
  return all;
}

AttentionOutput MultiHeadAttention::operator()(const ForwardContext& context, const Variable& queries,
                                               const Variable& memory, Causality causality) const {
  const auto [q, k, v] = projected(context, queries, memory);
  const Variable mixed =
      ops::attention(context.tape, q, k, v,
                     attention_op_settings(context, settings_, causality, random_layer_));  // [Tq, H·K]
  return {to_output_(context, mixed), q, k, v, causality, settings_.window};
}

void MultiHeadAttention::append(const ForwardContext& context, const Variable& memory,
                                const kernels::AttentionCache& cache, const CacheRows& rows) const {
  Arena& arena = context.tape.arena();
  const ArenaScope scope(arena);
  const Matrix keys = arena.matrix(memory.rows(), inner_width()),
               values = arena.matrix(memory.rows(), inner_width());
  to_key_(context, memory.value(), keys);
  to_value_(context, memory.value(), values);
  kernels::append_to_cache(cache, rows.slots, rows.positions, keys, values);
}

Variable MultiHeadAttention::attend_cached(const ForwardContext& context, const Variable& queries,
                                           const kernels::AttentionCache& cache,
                                           const CacheView& view) const {
  const Variable q = to_query_(context, queries);
  return to_output_(context, weigh_cached(context, q.value(), cache, view));
}

Variable MultiHeadAttention::step(const ForwardContext& context, const Variable& tokens,
                                  const kernels::AttentionCache& cache, std::span<const Index> positions,
                                  const CacheView& view) const {
  Arena& arena = context.tape.arena();
  const Variable q = context.tape.variable(tokens.rows(), inner_width(), nullptr, false);
  const Matrix keys = arena.matrix(tokens.rows(), inner_width()),
               values = arena.matrix(tokens.rows(), inner_width());
  if (context.packed == nullptr) {
    to_query_(context, tokens.value(), q.value());
    to_key_(context, tokens.value(), keys);
    to_value_(context, tokens.value(), values);
  } else {
    const kernels::PackedProduct products[] = {to_query_.product(context, q.value()),
                                               to_key_.product(context, keys),
                                               to_value_.product(context, values)};
    kernels::linear_packed(tokens.value(), products);
  }
  if (settings_.rotary) {
    for (const Matrix& turned : {q.value(), keys})
      kernels::rotate(turned, positions, settings_.rotary->view(), kernels::Turn::forth, turned, false);
  }
  kernels::append_to_cache(cache, view.slots, positions, keys, values);
  return to_output_(context, weigh_cached(context, q.value(), cache, view));
}

}  // namespace headwater
