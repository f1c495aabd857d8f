// What attention and its gradient share: which keys a query sees, tiles of scores, and their products.
#pragma once

#include "tensor/kernels/simd_attention_softmax.hpp"
#include "tensor/kernels/simd_products.hpp"

namespace headwater::kernels::HEADWATER_ISA {

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

inline float* take(float*& scratch, Index count) {
  float* taken = scratch;
  scratch += (count + 15) / 16 * 16;
  return taken;
}

inline Index least(Index a, Index b) { return a < b ? a : b; }

// Queries [i, end) that are worked on together, of those from `first` on: equal blocks.
inline Index block_end(Index i, Index first, Index queries) {
  const Index blocks = (queries - first + kQueryBlock - 1) / kQueryBlock;
  const Index size = (queries - first + blocks - 1) / blocks;
  return least(i + size, queries);
}

// Scores, weights or their gradients: a row a query from `query` on, a column a key from `key` on.
struct Scores {
  float* data;
  Index stride;
  float* row(Index r) const { return data + r * stride; }
  // Of the queries r .. r + 15 (below `end`), where row 0 is query i and column 0 key j.
  ScoreRows rows_from(Index i, Index r, Index end, const Visibility& see, Index j, Index keys) const {
    return {row(r - i), stride, least(kSoftmaxRows, end - r), see.keys_of(r) - j, see.is_causal ? 1 : 0,
            keys};
  }
};

// scores[i][j] = x[i] · packed[j] for the first `keys` (rounded up) rows that pack_transposed() packed;
// chains over the columns.
inline void multiply_transposed(MatrixOf<const float> x, const float* packed, Index keys,
                                const Scores& scores) {
  multiply({.a = x.data,
            .a_row = x.stride,
            .a_step = 1,
            .b = packed,
            .b_step = 16,
            .b_panel = 16 * x.cols,
            .c = scores.data,
            .c_row = scores.stride,
            .width = padded_width(keys)},
           x.rows, x.cols, Steps{}, Start::zero);
}

// y (+)= scores · x: chains over the keys that each query (row of y) sees. factor: as in Product, its tiles
// kQueryBlock apart.
inline void multiply_keys(const Scores& scores, const PackedRows& x, Index keys, const Steps& seen,
                          Start start, MatrixOf<float> y, const float* factor = nullptr) {
  multiply({.a = scores.data,
            .a_row = scores.stride,
            .a_step = 1,
            .b = x.data,
            .b_step = x.stride,
            .b_panel = 16,
            .c = y.data,
            .c_row = y.stride,
            .width = y.cols,
            .factor = factor,
            .factor_tile = kQueryBlock},
           y.rows, keys, seen, start);
}

// y (+)= scoresᵀ · x: chains over the queries that see each key (row of y).
inline void multiply_queries(const Scores& scores, const PackedRows& x, Index queries, const Steps& seen,
                             Start start, MatrixOf<float> y) {
  multiply({.a = scores.data,
            .a_row = 1,
            .a_step = scores.stride,
            .b = x.data,
            .b_step = x.stride,
            .b_panel = 16,
            .c = y.data,
            .c_row = y.stride,
            .width = y.cols},
           y.rows, queries, seen, start);
}

inline void set_zero(float* x, Index count) {
  for (Index c = 0; c < count; ++c) x[c] = 0;
}

// Dropout of the queries from `query` on.
inline RowsDropout rows_dropout(const AttentionHead& head, const Philox& philox, Index query) {
  const std::uint64_t element = head.first_element + static_cast<std::uint64_t>(query) * head.element_step;
  return {head.dropout, philox, element / 4, head.element_step / 4};
}

// Brings what the next head will read into L2, a share at each turn.
class Ahead {
 public:
  // One turn for each group of queries that meets a span of keys.
  Ahead(const AttentionHead& head, Index span) : matrices_(head.ahead) {
    Index rows = 0;
    for (const MatrixOf<const float>& matrix : matrices_) rows += matrix.rows;
    const Index turns = (head.q.rows / kSoftmaxRows + 1) * ((head.k.rows + span) / (span + 1) + 1);
    share_ = (rows + turns - 1) / turns;
  }
  void fetch() {
    for (Index left = share_; left > 0 && at_ < matrices_.size();) {
      const MatrixOf<const float>& matrix = matrices_[at_];
      if (row_ == matrix.rows) {
        ++at_;
        row_ = 0;
        continue;
      }
      const float* line = matrix.row(row_++);
      for (Index c = 0; c < matrix.cols; c += 16) __builtin_prefetch(line + c, 0, 2);
      --left;
    }
  }

 private:
  const decltype(AttentionHead::ahead)& matrices_;
  std::size_t at_ = 0;
  Index row_ = 0, share_ = 0;
};

// In simd_attention_backward.cpp.
void attention_backward(const AttentionHead& head, MatrixOf<const float> out, MatrixOf<const float> stats,
                        MatrixOf<const float> dout, const AttentionGradients& to);

}  // namespace headwater::kernels::HEADWATER_ISA
