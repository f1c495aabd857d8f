// Attention of one (sequence, head), forward and backward, by DESIGN.md, decision 5: key tiles of 64 with a
// running maximum (Dao et al. 2022), every element of a product one ascending fma chain. Masked keys are left
// out of the chains.
#include "tensor/kernels/simd_attention_rows.hpp"
#include "tensor/kernels/simd_attention_softmax.hpp"
#include "tensor/kernels/simd_products.hpp"

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

// A tile of scores or weights: a row a query, a column a key.
struct Tile {
  float* data;
  float* row(Index query) const { return data + query * kKeyTile; }
};

// The tile's rows of the queries r .. r + 15 (below `end`), where row 0 is query i and column 0 key j.
TileRows tile_rows(Tile tile, Index i, Index r, Index end, const Visibility& see, Index j, Index keys) {
  return {tile.row(r - i), least(kSoftmaxRows, end - r), least(keys, see.keys_of(r) - j),
          see.is_causal ? 1 : 0, keys};
}

// Brings what the next head will touch into L2, a share at each turn.
class Ahead {
 public:
  Ahead(const AttentionHead& head, Index turns) : matrices_(head.ahead) {
    Index rows = 0;
    for (const MatrixOf<const float>& matrix : matrices_) rows += matrix.rows;
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
  const std::array<MatrixOf<const float>, 8>& matrices_;
  std::size_t at_ = 0;
  Index row_ = 0, share_ = 0;
};

// Groups of queries that meet each tile of keys.
Index turns(const Visibility& see) { return (see.queries / kSoftmaxRows + 1) * (see.keys / kKeyTile + 1); }

// tile[i][j] = x[i] · packed[j] for the first `keys` (rounded up) rows that pack_transposed() packed; chains
// over the columns.
void multiply_transposed(MatrixOf<const float> x, const float* packed, Index keys, Tile tile) {
  multiply({.a = x.data,
            .a_row = x.stride,
            .a_step = 1,
            .b = packed,
            .b_step = 16,
            .b_panel = 16 * x.cols,
            .c = tile.data,
            .c_row = kKeyTile,
            .width = padded_width(keys)},
           x.rows, x.cols, Steps{}, Start::zero);
}

// y (+)= tile · x: chains over the keys that each query (row of y) sees.
void multiply_keys(Tile tile, const PackedRows& x, Index keys, const Steps& seen, Start start,
                   MatrixOf<float> y, const float* factor = nullptr) {
  multiply({.a = tile.data,
            .a_row = kKeyTile,
            .a_step = 1,
            .b = x.data,
            .b_step = x.stride,
            .b_panel = 16,
            .c = y.data,
            .c_row = y.stride,
            .width = y.cols,
            .factor = factor},
           y.rows, keys, seen, start);
}

// y (+)= tileᵀ · x: chains over the queries that see each key (row of y).
void multiply_queries(Tile tile, const PackedRows& x, Index queries, const Steps& seen, Start start,
                      MatrixOf<float> y) {
  multiply({.a = tile.data,
            .a_row = 1,
            .a_step = kKeyTile,
            .b = x.data,
            .b_step = x.stride,
            .b_panel = 16,
            .c = y.data,
            .c_row = y.stride,
            .width = y.cols},
           y.rows, queries, seen, start);
}

void set_zero(float* x, Index count) {
  for (Index c = 0; c < count; ++c) x[c] = 0;
}

// Dropout of the queries from `query` on for the tile of keys from first_key on.
RowsDropout rows_dropout(const AttentionHead& head, const PhiloxKeys& keys, Index query, Index first_key) {
  const std::uint64_t element = head.first_element + static_cast<std::uint64_t>(query) * head.element_step +
                                static_cast<std::uint64_t>(first_key);
  return {head.dropout, keys, element / 4, head.element_step / 4};
}

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
  const Visibility see{head.q.rows, head.k.rows, head.is_causal};
  const Index K = head.q.cols, width = padded_width(K);
  float* scratch = head.scratch;
  float* keys_transposed = take(scratch, kKeyTile * width);
  float* values_packed = take(scratch, kKeyTile * width);
  const Tile p{take(scratch, kQueryBlock * kKeyTile)};
  float* correction = take(scratch, kQueryBlock);
  const Running running(scratch, see.queries);
  float *m = running.m, *l = running.l;
  const PhiloxKeys random_keys = philox_keys(head.dropout.stream);
  Ahead ahead(head, turns(see));
  for (Index j = 0; j < see.keys; j += kKeyTile) {
    const Index first = see.first_query_of(j), keys = least(kKeyTile, see.keys - j);
    if (first >= see.queries) break;
    pack_transposed(head.k.rows_between(j, j + keys), keys_transposed);
    const PackedRows v = pack_rows(head.v.rows_between(j, j + keys), values_packed, see.queries - first);
    for (Index i = first; i < see.queries; i += kQueryBlock) {
      const Index end = least(i + kQueryBlock, see.queries);
      multiply_transposed(head.q.rows_between(i, end), keys_transposed, least(keys, see.keys_of(end - 1) - j),
                          p);
      for (Index r = i; r < end; r += kSoftmaxRows) {
        ahead.fetch();
        const TileRows rows = tile_rows(p, i, r, end, see, j, keys);
        if (head.dropout.bound > 0) {
          const RowsDropout dropout = rows_dropout(head, random_keys, r, j);
          softmax_rows(rows, head.scale, &dropout, m + r, l + r, correction + (r - i));
        } else {
          softmax_rows(rows, head.scale, nullptr, m + r, l + r, correction + (r - i));
        }
      }
      multiply_keys(p, v, keys, see.keys_from(i, j), j == 0 ? Start::zero : Start::scaled,
                    out.rows_between(i, end), correction);
      for (Index r = i; r < end; ++r) {
        if (see.keys_of(r) <= j + keys) divide_row(out.row(r), K, l[r]);
      }
    }
  }
  for (Index i = 0; i < see.queries; ++i) {
    const bool sees_any = see.keys_of(i) > 0;
    if (!sees_any) set_zero(out.row(i), K);
    if (!stats) continue;
    stats.row(i)[0] = sees_any ? m[i] : 0;
    stats.row(i)[1] = l[i];
  }
}

// The weights that attention() multiplied the values with, over l.
void attention_weights(const AttentionHead& head, MatrixOf<float> weights) {
  const Visibility see{head.q.rows, head.k.rows, head.is_causal};
  float* scratch = head.scratch;
  float* keys_transposed = take(scratch, kKeyTile * padded_width(head.q.cols));
  const Tile p{take(scratch, kKeyTile)};
  const Running running(scratch, see.queries);
  for (Index i = 0; i < see.queries; ++i) {
    const Index seen = see.keys_of(i);
    set_zero(weights.row(i) + seen, see.keys - seen);
  }
  for (Index j = 0; j < see.keys; j += kKeyTile) {
    const Index keys = least(kKeyTile, see.keys - j);
    pack_transposed(head.k.rows_between(j, j + keys), keys_transposed);
    for (Index i = see.first_query_of(j); i < see.queries; ++i) {
      const Index count = least(keys, see.keys_of(i) - j);
      multiply_transposed(head.q.rows_between(i, i + 1), keys_transposed, count, p);
      const float correction = softmax_step(p.data, count, head.scale, running.m[i], running.l[i]);
      float* row = weights.row(i);
      if (j > 0) scale_row(row, j, correction);
      for (Index c = 0; c < count; ++c) row[j + c] = p.data[c];
      if (see.keys_of(i) <= j + keys) divide_row(row, j + count, running.l[i]);
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

void attention_backward(const AttentionHead& head, MatrixOf<const float> out, MatrixOf<const float> stats,
                        MatrixOf<const float> dout, const AttentionGradients& to) {
  const Visibility see{head.q.rows, head.k.rows, head.is_causal};
  const Index K = head.q.cols, width = padded_width(K);
  float* scratch = head.scratch;
  float* keys_transposed = take(scratch, kKeyTile * width);
  float* values_transposed = take(scratch, kKeyTile * width);
  float* keys_packed = take(scratch, kKeyTile * width);
  float* queries_packed = take(scratch, kQueryBlock * width);
  float* douts_packed = take(scratch, kQueryBlock * width);
  const Tile p{take(scratch, kQueryBlock * kKeyTile)}, ds{take(scratch, kQueryBlock * kKeyTile)};
  float* mean = take(scratch, see.queries);  // Σ p dp of each query = dout · out
  float *m = take(scratch, see.queries), *l = take(scratch, see.queries);
  const PhiloxKeys random_keys = philox_keys(head.dropout.stream);
  Ahead ahead(head, turns(see));
  for (Index i = 0; i < see.queries; ++i) {
    m[i] = stats.row(i)[0];
    l[i] = stats.row(i)[1];
    mean[i] = dot(dout.row(i), out.row(i), K);
    if (see.keys_of(i) == 0) set_zero(to.dq.row(i), K);
  }
  for (Index j = 0; j < see.keys; j += kKeyTile) {
    const Index first = see.first_query_of(j), keys = least(kKeyTile, see.keys - j);
    for (Index r = j; first >= see.queries && r < j + keys; ++r) {
      set_zero(to.dk.row(r), K);
      set_zero(to.dv.row(r), K);
    }
    if (first >= see.queries) continue;
    const MatrixOf<const float> tile_keys = head.k.rows_between(j, j + keys);
    pack_transposed(tile_keys, keys_transposed);
    pack_transposed(head.v.rows_between(j, j + keys), values_transposed);
    const PackedRows k = pack_rows(tile_keys, keys_packed, see.queries - first);
    for (Index i = first; i < see.queries; i += kQueryBlock) {
      const Index end = least(i + kQueryBlock, see.queries), queries = end - i;
      const Index seen = least(keys, see.keys_of(end - 1) - j);
      const PackedRows q = pack_rows(head.q.rows_between(i, end), queries_packed, seen);
      const PackedRows d = pack_rows(dout.rows_between(i, end), douts_packed, seen);
      multiply_transposed({q.data, queries, K, q.stride}, keys_transposed, seen, p);
      multiply_transposed({d.data, queries, K, d.stride}, values_transposed, seen, ds);
      for (Index r = i; r < end; r += kSoftmaxRows) {
        ahead.fetch();
        const TileRows rows = tile_rows(p, i, r, end, see, j, keys);
        const RowStates states{m + r, l + r, mean + r};
        if (head.dropout.bound > 0) {
          const RowsDropout dropout = rows_dropout(head, random_keys, r, j);
          softmax_backward_rows(rows, head.scale, &dropout, states, ds.row(r - i));
        } else {
          softmax_backward_rows(rows, head.scale, nullptr, states, ds.row(r - i));
        }
      }
      // The first block sets every key's gradient, also of those that only later queries see.
      const Start start = i == first ? Start::zero : Start::what_is_there;
      const Index rows_end = j + (i == first ? keys : seen);
      multiply_queries(p, d, queries, see.queries_from(j, i), start, to.dv.rows_between(j, rows_end));
      multiply_queries(ds, q, queries, see.queries_from(j, i), start, to.dk.rows_between(j, rows_end));
      multiply_keys(ds, k, keys, see.keys_from(i, j), j == 0 ? Start::zero : Start::what_is_there,
                    to.dq.rows_between(i, end));
    }
  }
}

}  // namespace

extern const AttentionTable attention_functions;
const AttentionTable attention_functions{attention, attention_backward, attention_weights};

}  // namespace headwater::kernels::HEADWATER_ISA
