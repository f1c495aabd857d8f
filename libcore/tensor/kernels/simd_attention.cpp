// Attention of one (sequence, head), forward and backward, by DESIGN.md, decision 5: key tiles of 64 with a
// running maximum (Dao et al. 2022), every element of a product one ascending fma chain. Masked keys are left
// out of the chains.
#include "tensor/kernels/simd_products.hpp"
#include "tensor/kernels/simd_random.hpp"
#include "tensor/simd_math.hpp"

namespace headwater::kernels::HEADWATER_ISA {

namespace {

// How far query i of this head sees: the first so many keys.
struct Visibility {
  Index queries, keys;
  bool is_causal;
  Index shift() const { return keys - queries; }
  Index keys_of(Index i) const {
    if (!is_causal) return keys;
    const Index seen = i + 1 + shift();
    return seen < 0 ? 0 : (seen < keys ? seen : keys);
  }
  // First query that sees key j.
  Index first_query_of(Index j) const { return is_causal && j > shift() ? j - shift() : 0; }
  // Rows: queries from i on; steps: keys from j on.
  Steps keys_from(Index i, Index j) const {
    return is_causal ? Steps{-kUnbounded, i + 1 + shift() - j} : Steps{};
  }
  // Rows: keys from j on; steps: queries from i on.
  Steps queries_from(Index j, Index i) const {
    return is_causal ? Steps{j - shift() - i, kUnbounded} : Steps{};
  }
};

float* take(float*& scratch, Index count) {
  float* taken = scratch;
  scratch += (count + 15) / 16 * 16;
  return taken;
}

Index least(Index a, Index b) { return a < b ? a : b; }

// s: the tile's scores of one query, the first `count` of them visible. Makes them exp(scale·s - m') and
// moves m and l; returns exp(m - m').
float softmax_step(float* s, Index count, float scale, float& m, float& l) {
  const F16 factor = F16::broadcast(scale);
  const Index full = count / 16, rest = count % 16;
  F16 most = F16::broadcast(m);
  for (Index p = 0; p < full; ++p) {
    const F16 x = F16::load(s + 16 * p) * factor;
    x.store(s + 16 * p);
    most = max(most, x);
  }
  if (rest > 0) {
    const F16 x = first_lanes(rest, F16::load(s + 16 * full) * factor, F16::broadcast(-kInfinity));
    x.store(s + 16 * full);
    most = max(most, x);
  }
  const float next = reduce_max(most);
  const F16 shift = F16::broadcast(next);
  F16 sum = F16::zero();
  for (Index p = 0; p < full; ++p) {
    const F16 x = exp(F16::load(s + 16 * p) - shift);
    x.store(s + 16 * p);
    sum = sum + x;
  }
  if (rest > 0) {
    const F16 x = first_lanes(rest, exp(F16::load(s + 16 * full) - shift), F16::zero());
    x.store(s + 16 * full);
    sum = sum + x;
  }
  const float correction = m == -kInfinity ? 0.0f : first_lane(exp(F16::broadcast(m - next)));
  l = l * correction + reduce_add(sum);
  m = next;
  return correction;
}

void scale_row(float* x, Index count, float factor) {
  const F16 f = F16::broadcast(factor);
  Index c = 0;
  for (; c + 16 <= count; c += 16) (F16::load(x + c) * f).store(x + c);
  if (c < count) (F16::load_partial(x + c, count - c) * f).store_partial(x + c, count - c);
}

void divide_row(float* x, Index count, float divisor) {
  const F16 d = F16::broadcast(divisor);
  Index c = 0;
  for (; c + 16 <= count; c += 16) (F16::load(x + c) / d).store(x + c);
  if (c < count) (F16::load_partial(x + c, count - c) / d).store_partial(x + c, count - c);
}

// The dropout words of a query for the tile of keys from first_key on.
Words64 dropout_words(const AttentionHead& head, Index query, Index first_key) {
  const std::uint64_t element = head.first_element + static_cast<std::uint64_t>(query) * head.element_step +
                                static_cast<std::uint64_t>(first_key);
  return random_words(head.dropout.stream, element / 4);
}

// Weights p of a tile's keys after dropout.
void drop_row(const AttentionHead& head, Index query, Index first_key, float* p, Index count) {
  const Words64 words = dropout_words(head, query, first_key);
  const F16 factor = F16::broadcast(head.dropout.scale);
  for (Index j = 0; j < count; j += 16)
    keep(head.dropout, words.group[j / 16], F16::load(p + j) * factor).store(p + j);
}

void attention(const AttentionHead& head, MatrixOf<float> out, MatrixOf<float> stats) {
  const Visibility see{head.q.rows, head.k.rows, head.is_causal};
  const Index K = head.q.cols, width = padded_width(K);
  float* scratch = head.scratch;
  float* keys_packed = take(scratch, kKeyTile * width);
  float* values_packed = take(scratch, kKeyTile * width);
  float* p = take(scratch, kQueryBlock * kKeyTile);
  float* m = take(scratch, see.queries);
  float* l = take(scratch, see.queries);
  for (Index i = 0; i < see.queries; ++i) {
    m[i] = -kInfinity;
    l[i] = 0;
    if (see.keys_of(i) == 0) {
      m[i] = 0;
      for (Index c = 0; c < K; ++c) out.row(i)[c] = 0;
    }
  }
  for (Index j = 0; j < see.keys; j += kKeyTile) {
    const Index first = see.first_query_of(j), keys = least(kKeyTile, see.keys - j);
    if (first >= see.queries) break;
    const MatrixOf<const float> k = head.k.rows_between(j, j + keys);
    pack_transposed(k, keys_packed);
    const PackedRows v = pack_rows(head.v.rows_between(j, j + keys), values_packed, see.queries - first);
    for (Index i = first; i < see.queries; i += kQueryBlock) {
      const Index queries = least(kQueryBlock, see.queries - i);
      const Index seen = least(keys, see.keys_of(i + queries - 1) - j);
      multiply({.a = head.q.row(i),
                .a_row = head.q.stride,
                .a_step = 1,
                .b = keys_packed,
                .b_step = 16,
                .b_panel = 16 * K,
                .c = p,
                .c_row = kKeyTile,
                .width = padded_width(seen)},
               queries, K, Steps{}, Start::zero);
      for (Index r = 0; r < queries; ++r) {
        float* row = p + r * kKeyTile;
        const Index count = least(keys, see.keys_of(i + r) - j);
        const float correction = softmax_step(row, count, head.scale, m[i + r], l[i + r]);
        if (j > 0) scale_row(out.row(i + r), K, correction);
        if (head.dropout.bound > 0) drop_row(head, i + r, j, row, count);
      }
      multiply({.a = p,
                .a_row = kKeyTile,
                .a_step = 1,
                .b = v.data,
                .b_step = v.stride,
                .b_panel = 16,
                .c = out.row(i),
                .c_row = out.stride,
                .width = K},
               queries, keys, see.keys_from(i, j), j == 0 ? Start::zero : Start::what_is_there);
      for (Index r = i; r < i + queries; ++r) {
        if (see.keys_of(r) <= j + keys) divide_row(out.row(r), K, l[r]);
      }
    }
  }
  for (Index i = 0; stats && i < see.queries; ++i) {
    stats.row(i)[0] = m[i];
    stats.row(i)[1] = l[i];
  }
}

// The weights that attention() multiplied the values with, over l.
void attention_weights(const AttentionHead& head, MatrixOf<float> weights) {
  const Visibility see{head.q.rows, head.k.rows, head.is_causal};
  const Index K = head.q.cols;
  float* scratch = head.scratch;
  float* keys_packed = take(scratch, kKeyTile * padded_width(K));
  float* p = take(scratch, kKeyTile);
  float* m = take(scratch, see.queries);
  float* l = take(scratch, see.queries);
  for (Index i = 0; i < see.queries; ++i) {
    m[i] = -kInfinity;
    l[i] = 0;
    for (Index j = see.keys_of(i); j < see.keys; ++j) weights.row(i)[j] = 0;
  }
  for (Index j = 0; j < see.keys; j += kKeyTile) {
    const Index first = see.first_query_of(j), keys = least(kKeyTile, see.keys - j);
    if (first >= see.queries) break;
    pack_transposed(head.k.rows_between(j, j + keys), keys_packed);
    for (Index i = first; i < see.queries; ++i) {
      const Index count = least(keys, see.keys_of(i) - j);
      multiply({.a = head.q.row(i),
                .a_row = head.q.stride,
                .a_step = 1,
                .b = keys_packed,
                .b_step = 16,
                .b_panel = 16 * K,
                .c = p,
                .c_row = kKeyTile,
                .width = padded_width(count)},
               1, K, Steps{}, Start::zero);
      const float correction = softmax_step(p, count, head.scale, m[i], l[i]);
      float* row = weights.row(i);
      if (j > 0) scale_row(row, j, correction);
      for (Index c = 0; c < count; ++c) row[j + c] = p[c];
      if (see.keys_of(i) <= j + keys) divide_row(row, j + count, l[i]);
    }
  }
}

// Lane by lane over the width, then folded: the sum of a·b.
float dot(const float* a, const float* b, Index count) {
  F16 sum = F16::zero();
  Index c = 0;
  for (; c + 16 <= count; c += 16) sum = fma(F16::load(a + c), F16::load(b + c), sum);
  if (c < count) sum = fma(F16::load_partial(a + c, count - c), F16::load_partial(b + c, count - c), sum);
  return reduce_add(sum);
}

// Scores s become p (after dropout), products dp become ds = p (dp - D) scale.
struct RowState {
  float m, l, mean;  // mean: D, the sum of p dp
};

void softmax_backward_row(const AttentionHead& head, Index query, Index first_key, Index count,
                          const RowState& state, float* s, float* dp) {
  const bool has_dropout = head.dropout.bound > 0;
  Words64 words{};
  if (has_dropout) words = dropout_words(head, query, first_key);
  const F16 kept = F16::broadcast(head.dropout.scale);
  const F16 factor = F16::broadcast(head.scale), shift = F16::broadcast(state.m),
            total = F16::broadcast(state.l), d = F16::broadcast(state.mean);
  for (Index j = 0; j < count; j += 16) {
    F16 p = exp(F16::load(s + j) * factor - shift) / total;
    F16 gradient = F16::load(dp + j);
    if (has_dropout) gradient = keep(head.dropout, words.group[j / 16], gradient * kept);
    (p * (gradient - d) * factor).store(dp + j);
    if (has_dropout) p = keep(head.dropout, words.group[j / 16], p * kept);
    p.store(s + j);
  }
}

void attention_backward(const AttentionHead& head, MatrixOf<const float> out, MatrixOf<const float> stats,
                        MatrixOf<const float> dout, const AttentionGradients& to) {
  const MatrixOf<float> dq = to.dq, dk = to.dk, dv = to.dv;
  const Visibility see{head.q.rows, head.k.rows, head.is_causal};
  const Index K = head.q.cols, width = padded_width(K);
  float* scratch = head.scratch;
  float* keys_transposed = take(scratch, kKeyTile * width);
  float* values_transposed = take(scratch, kKeyTile * width);
  float* keys_packed = take(scratch, kKeyTile * width);
  float* queries_packed = take(scratch, kQueryBlock * width);
  float* douts_packed = take(scratch, kQueryBlock * width);
  float* p = take(scratch, kQueryBlock * kKeyTile);
  float* ds = take(scratch, kQueryBlock * kKeyTile);
  float* mean = take(scratch, see.queries);  // Σ p dp of each query = dout · out
  for (Index i = 0; i < see.queries; ++i) {
    mean[i] = dot(dout.row(i), out.row(i), K);
    if (see.keys_of(i) > 0) continue;
    for (Index c = 0; c < K; ++c) dq.row(i)[c] = 0;
  }
  for (Index j = 0; j < see.keys; j += kKeyTile) {
    const Index first = see.first_query_of(j), keys = least(kKeyTile, see.keys - j);
    if (first >= see.queries) {
      for (Index r = j; r < j + keys; ++r) {
        for (Index c = 0; c < K; ++c) dk.row(r)[c] = dv.row(r)[c] = 0;
      }
      continue;
    }
    pack_transposed(head.k.rows_between(j, j + keys), keys_transposed);
    pack_transposed(head.v.rows_between(j, j + keys), values_transposed);
    const PackedRows k = pack_rows(head.k.rows_between(j, j + keys), keys_packed, see.queries - first);
    for (Index i = first; i < see.queries; i += kQueryBlock) {
      const Index queries = least(kQueryBlock, see.queries - i);
      const Index seen = least(keys, see.keys_of(i + queries - 1) - j);
      const PackedRows q = pack_rows(head.q.rows_between(i, i + queries), queries_packed, seen);
      const PackedRows d = pack_rows(dout.rows_between(i, i + queries), douts_packed, seen);
      multiply({.a = q.data,
                .a_row = q.stride,
                .a_step = 1,
                .b = keys_transposed,
                .b_step = 16,
                .b_panel = 16 * K,
                .c = p,
                .c_row = kKeyTile,
                .width = padded_width(seen)},
               queries, K, Steps{}, Start::zero);
      multiply({.a = d.data,
                .a_row = d.stride,
                .a_step = 1,
                .b = values_transposed,
                .b_step = 16,
                .b_panel = 16 * K,
                .c = ds,
                .c_row = kKeyTile,
                .width = padded_width(seen)},
               queries, K, Steps{}, Start::zero);
      for (Index r = 0; r < queries; ++r) {
        const float* state = stats.row(i + r);
        softmax_backward_row(head, i + r, j, least(keys, see.keys_of(i + r) - j),
                             {state[0], state[1], mean[i + r]}, p + r * kKeyTile, ds + r * kKeyTile);
      }
      // The first block sets every key's gradient, also of those that only later queries see.
      const Start start = i == first ? Start::zero : Start::what_is_there;
      const Index rows = i == first ? keys : seen;
      multiply({.a = p,
                .a_row = 1,
                .a_step = kKeyTile,
                .b = d.data,
                .b_step = d.stride,
                .b_panel = 16,
                .c = dv.row(j),
                .c_row = dv.stride,
                .width = K},
               rows, queries, see.queries_from(j, i), start);
      multiply({.a = ds,
                .a_row = 1,
                .a_step = kKeyTile,
                .b = q.data,
                .b_step = q.stride,
                .b_panel = 16,
                .c = dk.row(j),
                .c_row = dk.stride,
                .width = K},
               rows, queries, see.queries_from(j, i), start);
      multiply({.a = ds,
                .a_row = kKeyTile,
                .a_step = 1,
                .b = k.data,
                .b_step = k.stride,
                .b_panel = 16,
                .c = dq.row(i),
                .c_row = dq.stride,
                .width = K},
               queries, keys, see.keys_from(i, j), j == 0 ? Start::zero : Start::what_is_there);
    }
  }
}

}  // namespace

extern const AttentionTable attention_functions;
const AttentionTable attention_functions{attention, attention_backward, attention_weights};

}  // namespace headwater::kernels::HEADWATER_ISA
