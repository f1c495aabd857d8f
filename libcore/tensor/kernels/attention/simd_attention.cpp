// Attention of one (sequence, head) and its gradient by libcore/README.md: key tiles of 64 with a running
// maximum (Dao et al. 2022), every element of a product one ascending fma chain. Masked keys are left out of
// the chains. Some tiles (a span) are worked on together.
#include "tensor/kernels/attention/simd_attention_head.hpp"
#include "tensor/kernels/attention/simd_attention_rows.hpp"

namespace headwater::kernels::HEADWATER_ISA {

namespace {

// The softmax of each query so far.
struct Running {
  float *m, *l;
  Running(float*& scratch, Index queries) : m(take(scratch, queries)), l(take(scratch, queries)) {
    for (Index i = 0; i < queries; ++i) {
      m[i] = -kInfinity;
      l[i] = 0;
    }
  }
};

void attention(const AttentionHead& head, MatrixOf<float> out, MatrixOf<float> stats) {
  const Visibility see(head);
  const Index K = head.q.cols, width = padded_width(K), span = key_span(see.keys, K);
  float* scratch = head.scratch;
  float* keys_transposed = take(scratch, span * width);
  float* values_packed = take(scratch, span * width);
  const Scores p{take(scratch, kQueryBlock * span), span};
  float* correction = take(scratch, kMaxKeySpan / kKeyTile * kQueryBlock);
  float* divisor = take(scratch, kQueryBlock);
  const Running running(scratch, see.queries);
  float *m = running.m, *l = running.l;
  const Philox philox = philox_of(head.dropout.stream);
  DropoutWords drawn;
  DropoutWords* words = head.dropout.bound > 0 ? &drawn : nullptr;
  Prefetch next(head.prefetch, 2 * see.queries * see.keys * width);
  Prefetch* prefetch = head.prefetches ? &next : nullptr;
  if (see.has_window()) set_zero_rows(out);  // a block's queries may see their first keys in different spans
  for (Index j = 0; j < see.keys; j += span) {
    const Index keys = least(span, see.keys - j), first = see.first_query_of(j),
                last = see.end_query_of(j + keys);
    if (first >= see.queries) break;
    if (first >= last) continue;
    pack_transposed(head.k.rows_between(j, j + keys), keys_transposed);
    const PackedRows v = pack_rows(head.v.rows_between(j, j + keys), values_packed, last - first);
    for (Index i = first, end = 0; i < last; i = end) {
      end = block_end(i, first, last, see);
      const SeenKeys seen = seen_keys(see, i, end, j, keys);
      const Index begin = j + seen.first;
      multiply_transposed(head.q.rows_between(i, end), keys_transposed + seen.first * K, seen.count(), p,
                          prefetch);
      for (Index r = i; r < end; r += kSoftmaxRows) {
        const ScoreRows rows = p.rows_from(i, r, end, see, begin, seen.count());
        if (words) draw_words(rows_dropout(head, philox, r), rows, begin, *words);
        for (Index t = 0; t < seen.count(); t += kKeyTile) {
          float* moved = correction + t / kKeyTile * kQueryBlock + (r - i);
          softmax_rows(rows.keys_from(t, kKeyTile), head.scale, head.dropout,
                       words ? words->group[0] + t / 16 : nullptr, {m + r, l + r, moved});
        }
      }
      for (Index r = i; r < end; ++r) divisor[r - i] = see.keys_of(r) <= j + keys ? l[r] : 1;
      const Start start = j == 0 && !see.has_window() ? Start::zero : Start::what_is_there;
      multiply_keys(p, v.from(seen.first), seen.count(), see.keys_from(i, begin),
                    {out.rows_between(i, end), start, head.are_large && keys == see.keys, prefetch},
                    {correction, divisor});
    }
  }
  if (head.are_large) end_of_streams();
  for (Index i = 0; i < see.queries; ++i) {
    const bool sees_any = see.keys_of(i) > see.first_key_of(i);
    if (!sees_any) set_zero(out.row(i), K);
    if (!stats) continue;
    stats.row(i)[0] = sees_any ? m[i] : 0;
    stats.row(i)[1] = l[i];
  }
}

// The weights that attention() multiplied the values with, over l.
void attention_weights(const AttentionHead& head, MatrixOf<float> weights) {
  const Visibility see(head);
  float* scratch = head.scratch;
  float* keys_transposed = take(scratch, least(kKeyTile, padded_width(see.keys)) * padded_width(head.q.cols));
  const Scores p{take(scratch, kKeyTile), kKeyTile};
  const Running running(scratch, see.queries);
  for (Index i = 0; i < see.queries; ++i) {
    const Index seen = see.keys_of(i), hidden = see.first_key_of(i);
    set_zero(weights.row(i), hidden);
    set_zero(weights.row(i) + seen, see.keys - seen);
  }
  for (Index j = 0; j < see.keys; j += kKeyTile) {
    const Index keys = least(kKeyTile, see.keys - j);
    pack_transposed(head.k.rows_between(j, j + keys), keys_transposed);
    for (Index i = see.first_query_of(j), last = see.end_query_of(j + keys); i < last; ++i) {
      const Index count = least(keys, see.keys_of(i) - j), first = see.first_key_of(i),
                  hidden = first > j ? first - j : 0;
      multiply_transposed(head.q.rows_between(i, i + 1), keys_transposed, count, p);
      const float correction = softmax_step(p.data, count, head.scale, running.m[i], running.l[i], hidden);
      float* row = weights.row(i);
      if (j > first) scale_row(row + first, j - first, correction);
      for (Index c = hidden; c < count; ++c) row[j + c] = p.data[c];
      if (see.keys_of(i) <= j + keys) divide_row(row + first, see.keys_of(i) - first, running.l[i]);
    }
  }
}

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

// The weights are computed again, span by span of keys and block by block of queries; dq is a chain over
// keys, dk and dv over queries (libcore/README.md).
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

}  // namespace

extern const AttentionTable attention_functions;
const AttentionTable attention_functions{attention, attention_backward, attention_weights};

}  // namespace headwater::kernels::HEADWATER_ISA
