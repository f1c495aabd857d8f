// Attention over packed sequences: one task is a bundle of (sequence, head) pairs.
#ifndef HEADWATER_DOUBLE

#include "tensor/kernels/attention/attention.hpp"

#include <algorithm>

#include "support/parallel.hpp"
#include "tensor/kernels/kernel_table.hpp"
#include "tensor/kernels/scratch.hpp"

namespace headwater::kernels {

namespace {

template <class T>
MatrixOf<T> head_of(MatrixOf<T> x, Index first_row, Index rows, Index head, Index K) {
  return {x.data + first_row * x.stride + head * K, rows, K, x.stride};
}

AttentionHead head_task(ConstMatrix q, ConstMatrix k, ConstMatrix v, const AttentionShape& shape, Index s,
                        Index h) {
  const Index first = shape.query_offsets[s], queries = shape.query_length(s), K = shape.head_width;
  AttentionHead task;
  task.q = head_of(q, first, queries, h, K);
  task.k = head_of(k, shape.key_offsets[s], shape.key_length(s), h, K);
  if (v) task.v = head_of(v, shape.key_offsets[s], shape.key_length(s), h, K);
  task.scale = shape.scale;
  task.is_causal = shape.is_causal;
  task.window = shape.window;
  return task;
}

AttentionHead with_dropout(AttentionHead task, const AttentionShape& shape, Index s, Index h) {
  if (shape.dropout > 0) task.dropout = dropout_rule(shape.dropout, shape.stream);
  task.first_element =
      static_cast<std::uint64_t>((shape.first_query + shape.query_offsets[s]) * shape.heads + h) << 16;
  task.element_step = static_cast<std::uint64_t>(shape.heads) << 16;
  return task;
}

// The running maximum and the sum of one head.
template <class T>
MatrixOf<T> stats_of(MatrixOf<T> stats, Index first, Index queries, Index h) {
  if (!stats) return {};
  return {stats.row(first) + 2 * h, queries, 2, stats.stride};
}

Index bytes_of(const AttentionShape& shape, Index rows) {
  return rows * shape.heads * shape.head_width * static_cast<Index>(sizeof(float));
}
constexpr Index kLarge = Index{32} << 20;  // so many bytes push each other out of the caches
constexpr Index kBeyondL2 = Index{1} << 20;

// Calls body(sequence, head, the pair after it) for all pairs; so many pairs make a task that it takes some
// ten microseconds.
template <class Body>
void for_each_head(const AttentionShape& shape, const Body& body) {
  const Index sequences = shape.sequences(), pairs = sequences * shape.heads;
  if (pairs == 0) return;
  Index products = 0;
  for (Index s = 0; s < sequences; ++s) {
    const Index keys = shape.key_length(s), seen = shape.window > 0 ? std::min(keys, 2 * shape.window) : keys;
    products += (shape.query_length(s) + 1) * (seen + 1);
  }
  constexpr Index kTaskProducts = 200'000;
  const Index work = std::max<Index>(1, products * shape.head_width);
  const Index bundle = std::clamp<Index>(kTaskProducts * sequences / work, 1, pairs);
  parallel_for((pairs + bundle - 1) / bundle, [&](Index task) {
    for (Index pair = task * bundle; pair < std::min(pairs, (task + 1) * bundle); ++pair)
      body(pair / shape.heads, pair % shape.heads, std::min(pair + 1, pairs - 1));
  });
}

}  // namespace

void attention(ConstMatrix q, ConstMatrix k, ConstMatrix v, const AttentionShape& shape, Matrix out,
               Matrix stats) {
  const AttentionTable& table = *kernel_table().attention;
  for_each_head(shape, [&](Index s, Index h, Index next) {
    AttentionHead task = with_dropout(head_task(q, k, v, shape, s, h), shape, s, h);
    const Index first = shape.query_offsets[s], queries = task.q.rows;
    task.scratch = thread_scratch(attention_scratch(queries, task.k.rows, shape.head_width));
    const AttentionHead then = head_task(q, k, v, shape, next / shape.heads, next % shape.heads);
    task.prefetch[0] = then.q;
    task.prefetch[1] = then.k;
    task.prefetch[2] = then.v;
    task.are_large = task.prefetches = bytes_of(shape, 2 * q.rows + 2 * k.rows) >= kLarge;
    table.forward(task, head_of(out, first, queries, h, shape.head_width),
                  stats_of(stats, first, queries, h));
  });
}

void attention_backward(ConstMatrix q, ConstMatrix k, ConstMatrix v, ConstMatrix out, ConstMatrix stats,
                        ConstMatrix dout, const AttentionShape& shape, Matrix dq, Matrix dk, Matrix dv) {
  const AttentionTable& table = *kernel_table().attention;
  for_each_head(shape, [&](Index s, Index h, Index next) {
    AttentionHead task = with_dropout(head_task(q, k, v, shape, s, h), shape, s, h);
    const Index first = shape.query_offsets[s], queries = task.q.rows, K = shape.head_width;
    const Index first_key = shape.key_offsets[s], keys = task.k.rows;
    task.scratch = thread_scratch(attention_backward_scratch(queries, keys, K));
    const Index next_sequence = next / shape.heads, next_head = next % shape.heads;
    const AttentionHead then = head_task(q, k, v, shape, next_sequence, next_head);
    const Index next_query = shape.query_offsets[next_sequence];
    task.prefetch[0] = head_of(dout, next_query, then.q.rows, next_head, K);
    task.prefetch[1] = head_of(out, next_query, then.q.rows, next_head, K);
    task.prefetch[2] = then.q;
    task.prefetch[3] = then.k;
    task.prefetch[4] = then.v;
    task.are_large = bytes_of(shape, 4 * q.rows + 4 * k.rows) >= kLarge;
    task.prefetches = bytes_of(shape, 4 * q.rows + 4 * k.rows) >= kBeyondL2;
    table.backward(task, head_of(out, first, queries, h, K), stats_of(stats, first, queries, h),
                   head_of(dout, first, queries, h, K),
                   {head_of(dq, first, queries, h, K), head_of(dk, first_key, keys, h, K),
                    head_of(dv, first_key, keys, h, K)});
  });
}

void attention_weights(ConstMatrix q, ConstMatrix k, const AttentionShape& shape, Index sequence, Index head,
                       Matrix weights) {
  AttentionHead task = head_task(q, k, {}, shape, sequence, head);
  task.scratch = thread_scratch(attention_scratch(task.q.rows, task.k.rows, shape.head_width));
  kernel_table().attention->weights(task, weights);
}

}  // namespace headwater::kernels

#endif  // HEADWATER_DOUBLE
