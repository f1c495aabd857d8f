// What attention and its gradient share: which keys a query sees, tiles of scores, and their products.
#pragma once

#include "tensor/kernels/attention/simd_attention_softmax.hpp"
#include "tensor/kernels/attention/simd_products.hpp"

namespace headwater::kernels::HEADWATER_ISA {

inline Index least(Index a, Index b) { return a < b ? a : b; }

// Which keys the queries of a head see: of query i those of [first_key_of(i), keys_of(i)), from so many
// before key i + shift to so many after it.
struct Visibility {
  Index queries, keys;
  Index before = kUnbounded, after = kUnbounded;
  explicit Visibility(const AttentionHead& head) : queries(head.q.rows), keys(head.k.rows) {
    if (head.window > 0) before = after = head.window - 1;
    if (head.is_causal) after = 0;
  }
  Index shift() const { return keys - queries; }
  bool has_window() const { return before < kUnbounded; }
  bool is_ragged() const { return after < kUnbounded; }  // queries see different keys
  Index keys_of(Index i) const { return is_ragged() ? clamped(i + shift() + after + 1, keys) : keys; }
  Index first_key_of(Index i) const { return has_window() ? clamped(i + shift() - before, keys) : 0; }
  // The queries that see one of the keys j .. end - 1.
  Index first_query_of(Index j) const { return is_ragged() && j > shift() + after ? j - shift() - after : 0; }
  Index end_query_of(Index end) const {
    return has_window() ? clamped(end - shift() + before, queries) : queries;
  }
  // Rows: queries from i on; steps: keys from j on.
  Steps keys_from(Index i, Index j) const {
    return {has_window() ? i + shift() - before - j : -kUnbounded,
            is_ragged() ? i + shift() + after + 1 - j : kUnbounded};
  }
  // Rows: keys from j on; steps: queries from i on.
  Steps queries_from(Index j, Index i) const {
    return {is_ragged() ? j - shift() - after - i : -kUnbounded,
            has_window() ? j - shift() + before + 1 - i : kUnbounded};
  }

 private:
  static Index clamped(Index i, Index most) { return i < 0 ? 0 : least(i, most); }
};

// The keys of a span that a block of queries works on, from the first tile on of which one is seen; places in
// the span.
struct SeenKeys {
  Index first, end;
  Index count() const { return end - first; }
};
inline SeenKeys seen_keys(const Visibility& see, Index begin, Index end, Index j, Index keys) {
  const Index first = see.first_key_of(begin) - j;
  return {first > 0 ? first / kKeyTile * kKeyTile : 0, least(keys, see.keys_of(end - 1) - j)};
}

inline float* take(float*& scratch, Index count) {
  float* taken = scratch;
  scratch += (count + 15) / 16 * 16;
  return taken;
}

// Queries [first, last) that see keys of a span, and those [i, end) that are worked on together: equal
// blocks. Small ones where the queries of a block see different keys: scores are computed for all that one of
// them sees.
inline Index block_end(Index i, Index first, Index last, const Visibility& see) {
  const Index most = see.is_ragged() ? 32 : kQueryBlock, queries = last - first;
  const Index blocks = (queries + most - 1) / most;
  return least(i + (queries + blocks - 1) / blocks, last);
}

// Scores, weights or their gradients: a row a query from `query` on, a column a key from `key` on.
struct Scores {
  float* data;
  Index stride;
  float* row(Index r) const { return data + r * stride; }
  // The rows of the queries r .. r + 15 (below `end`), where row 0 is query i and column 0 key j.
  ScoreRows rows_from(Index i, Index r, Index end, const Visibility& see, Index j, Index keys) const {
    return {.scores = row(r - i),
            .stride = stride,
            .rows = least(kSoftmaxRows, end - r),
            .first_count = see.is_ragged() ? r + see.shift() + see.after + 1 - j : see.keys - j,
            .growth = see.is_ragged() ? 1 : 0,
            .keys = keys,
            .first_hidden = see.has_window() ? r + see.shift() - see.before - j : -kUnbounded};
  }
  Scores from(Index key) const { return {data + key, stride}; }
};

// scores[i][j] = x[i] · packed[j] for the first `keys` (rounded up) rows that pack_transposed() packed;
// chains over the columns.
inline void multiply_transposed(MatrixOf<const float> x, const float* packed, Index keys,
                                const Scores& scores, Prefetch* prefetch = nullptr) {
  multiply({.a = x.data,
            .a_row = x.stride,
            .a_step = 1,
            .b = packed,
            .b_step = 16,
            .b_panel = 16 * x.cols,
            .c = scores.data,
            .c_row = scores.stride,
            .width = padded_width(keys),
            .prefetch = prefetch},
           x.rows, x.cols, Steps{}, Start::zero);
}

// How a product goes into y.
struct Output {
  MatrixOf<float> y;
  Start start;
  bool streams;  // past the caches
  Prefetch* prefetch;
  // Streams write whole lines of memory: where y does not consist of such, a wanted one is none.
  Output(MatrixOf<float> to, Start from, bool wanted, Prefetch* fetch)
      : y(to),
        start(from),
        streams(wanted && to.cols % 16 == 0 && to.stride % 16 == 0 &&
                reinterpret_cast<std::uintptr_t>(to.data) % 64 == 0),
        prefetch(fetch) {}
};

// What happens to rows of y besides: as in Product, the tiles of `factor` kQueryBlock apart.
struct RowFactors {
  const float* factor = nullptr;
  const float* divisor = nullptr;
};

// Chains over rows of x; y (+)= a · x, where a's rows and steps lie so far apart.
inline Product product_with(const float* a, Index a_row, Index a_step, const PackedRows& x,
                            const Output& to) {
  return {.a = a,
          .a_row = a_row,
          .a_step = a_step,
          .b = x.data,
          .b_step = x.stride,
          .b_panel = 16,
          .c = to.y.data,
          .c_row = to.y.stride,
          .width = to.y.cols,
          .streams = to.streams,
          .prefetch = to.prefetch};
}

// y (+)= scores · x: chains over the keys that each query (row of y) sees.
inline void multiply_keys(const Scores& scores, const PackedRows& x, Index keys, const Steps& seen,
                          const Output& to, const RowFactors& factors) {
  Product product = product_with(scores.data, scores.stride, 1, x, to);
  product.factor = factors.factor;
  product.factor_tile = kQueryBlock;
  product.divisor = factors.divisor;
  multiply(product, to.y.rows, keys, seen, to.start);
}

// y (+)= scoresᵀ · x: chains over the queries that see each key (row of y).
inline void multiply_queries(const Scores& scores, const PackedRows& x, Index queries, const Steps& seen,
                             const Output& to) {
  multiply(product_with(scores.data, 1, scores.stride, x, to), to.y.rows, queries, seen, to.start);
}

inline void set_zero(float* x, Index count) {
  for (Index c = 0; c < count; ++c) x[c] = 0;
}
inline void set_zero_rows(MatrixOf<float> x) {
  for (Index r = 0; r < x.rows; ++r) set_zero(x.row(r), x.cols);
}

// Dropout of the queries from `query` on.
inline RowsDropout rows_dropout(const AttentionHead& head, const Philox& philox, Index query) {
  const std::uint64_t element = head.first_element + static_cast<std::uint64_t>(query) * head.element_step;
  return {philox, element / 4, head.element_step / 4};
}

}  // namespace headwater::kernels::HEADWATER_ISA
