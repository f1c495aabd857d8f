// The gradient of attention of one (sequence, head): the weights are computed again, span by span of keys and
// block by block of queries; dq is a chain over keys, dk and dv over queries (libcore/README.md).
#include "tensor/kernels/attention/simd_attention_head.hpp"

namespace headwater::kernels::HEADWATER_ISA {

namespace {

// Lane by lane over the width, then reduced: the sum of a·b of each of up to 16 rows.
void dot_rows(MatrixOf<const float> a, MatrixOf<const float> b, float* to) {
  f32x16 part[16];
  for (Index r = 0; r < 16; ++r) {
    part[r] = f32x16::zero();
    if (r >= a.rows) continue;
    Index c = 0;
    for (; c + 16 <= a.cols; c += 16)
      part[r] = fma(f32x16::load(a.row(r) + c), f32x16::load(b.row(r) + c), part[r]);
    if (c < a.cols) {
      const Index lanes = a.cols - c;
      part[r] =
          fma(f32x16::load_partial(a.row(r) + c, lanes), f32x16::load_partial(b.row(r) + c, lanes), part[r]);
    }
  }
  reduction_rows(part, [](f32x16 x, f32x16 y) { return x + y; }).store_partial(to, a.rows);
}

}  // namespace

void attention_backward(const AttentionHead& head, MatrixOf<const float> out, MatrixOf<const float> stats,
                        MatrixOf<const float> dout, const AttentionGradients& to) {
  const Visibility see(head);
  const Index K = head.q.cols, width = padded_width(K), span = key_span(see.keys, K);
  float* scratch = head.scratch;
  float* keys_transposed = take(scratch, span * width);
  float* values_transposed = take(scratch, span * width);
  float* keys_packed = take(scratch, span * width);
  float* queries_packed = take(scratch, kQueryBlock * width);
  float* douts_packed = take(scratch, kQueryBlock * width);
  const Scores p{take(scratch, kQueryBlock * span), span}, ds{take(scratch, kQueryBlock * span), span};
  float *m = take(scratch, see.queries), *l = take(scratch, see.queries);
  float* mean = take(scratch, see.queries);  // Σ p dp of each query = dout · out
  const Philox philox = philox_of(head.dropout.stream);
  DropoutWords drawn;
  DropoutWords* words = head.dropout.bound > 0 ? &drawn : nullptr;
  Prefetch next(head.prefetch, 5 * see.queries * see.keys * width);
  Prefetch* prefetch = head.prefetches ? &next : nullptr;
  for (Index i = 0; i < see.queries; ++i) {
    m[i] = stats.row(i)[0];
    l[i] = stats.row(i)[1];
    if (see.keys_of(i) <= see.first_key_of(i)) set_zero(to.dq.row(i), K);
  }
  // Blocks of queries in a window set the gradients of some of a span's keys only.
  const Start first_start = see.has_window() ? Start::what_is_there : Start::zero;
  if (see.has_window()) {
    for (const MatrixOf<float>& gradient : {to.dq, to.dk, to.dv}) set_zero_rows(gradient);
  }
  for (Index i = 0; i < see.queries; i += 16) {
    const Index end = least(i + 16, see.queries);
    dot_rows(dout.rows_between(i, end), out.rows_between(i, end), mean + i);
  }
  for (Index j = 0; j < see.keys; j += span) {
    const Index keys = least(span, see.keys - j), first = see.first_query_of(j),
                last = see.end_query_of(j + keys);
    if (first >= last) {
      for (const MatrixOf<float>& gradient : {to.dk, to.dv})
        set_zero_rows(gradient.rows_between(j, j + keys));
      continue;
    }
    const MatrixOf<const float> span_keys = head.k.rows_between(j, j + keys);
    pack_transposed(span_keys, keys_transposed);
    pack_transposed(head.v.rows_between(j, j + keys), values_transposed);
    const PackedRows k = pack_rows(span_keys, keys_packed, last - first);
    for (Index i = first, end = 0; i < last; i = end) {
      end = block_end(i, first, last, see);
      const SeenKeys seen = seen_keys(see, i, end, j, keys);
      const Index queries = end - i, begin = j + seen.first;
      const PackedRows q = pack_rows(head.q.rows_between(i, end), queries_packed, seen.count());
      const PackedRows d = pack_rows(dout.rows_between(i, end), douts_packed, seen.count());
      multiply_transposed({q.data, queries, K, q.stride}, keys_transposed + seen.first * K, seen.count(), p,
                          prefetch);
      multiply_transposed({d.data, queries, K, d.stride}, values_transposed + seen.first * K, seen.count(),
                          ds, prefetch);
      for (Index r = i; r < end; r += kSoftmaxRows) {
        const ScoreRows rows = p.rows_from(i, r, end, see, begin, seen.count());
        if (words) draw_words(rows_dropout(head, philox, r), rows, begin, *words);
        softmax_backward_rows(rows, head.scale, head.dropout, words, {m + r, l + r, mean + r}, ds.row(r - i));
      }
      // The first block sets every key's gradient, also of those that only later queries see.
      const bool sets_all = i == first && !see.has_window();
      const Start start = i == first ? first_start : Start::what_is_there;
      const Index rows_end = j + (sets_all ? keys : seen.end);
      const bool is_final = head.are_large && i == first && end == last;
      const Steps seen_by = see.queries_from(begin, i);
      multiply_queries(p, d, queries, seen_by,
                       {to.dv.rows_between(begin, rows_end), start, is_final, prefetch});
      multiply_queries(ds, q, queries, seen_by,
                       {to.dk.rows_between(begin, rows_end), start, is_final, prefetch});
      multiply_keys(ds, k.from(seen.first), keys - seen.first, see.keys_from(i, begin),
                    {to.dq.rows_between(i, end), j == 0 ? first_start : Start::what_is_there,
                     head.are_large && keys == see.keys, prefetch},
                    {});
    }
  }
  if (head.are_large) end_of_streams();
}

}  // namespace headwater::kernels::HEADWATER_ISA
