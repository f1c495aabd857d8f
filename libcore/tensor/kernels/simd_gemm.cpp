// Products of matrices by DESIGN.md, decision 5: an element is one chain of fma over ascending k, vectorised along the output, so tile sizes and
// vector width cannot show.
#include "tensor/kernels/gemm_table.hpp"
#include "tensor/simd_math.hpp"

namespace headwater::kernels::HEADWATER_ISA {

namespace {

// The register tile: rows by panels of 16 columns. AVX-512: 14 x 2 sums, two registers of B, one of A, of 32; AVX2: 6 x 1 of 16 halves.
#if defined(HEADWATER_ISA_avx512)
constexpr int kRows = 14, kPanels = 2;
#else
constexpr int kRows = 6, kPanels = 1;
#endif

constexpr Index kStripStride = kDepth + 16;  // a strip of A by rows; the odd multiple of a line keeps its rows in different cache sets

Index least(Index a, Index b) { return a < b ? a : b; }

// One tile in registers. a(r, k) = a[r·RowStep + k·KStep]; panel p of b at b + p·b_panel, row k at + k·b_step.
template <int R, int P, Index RowStep, Index KStep>
inline void multiply(const float* a, const float* b, Index b_step, Index b_panel, Index K, F16 (&sum)[R][P]) {
  for (Index k = 0; k < K; ++k) {
    F16 y[P];
    for (int p = 0; p < P; ++p) y[p] = F16::load(b + p * b_panel);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const F16 x = F16::broadcast(a[r * RowStep]);
      for (int p = 0; p < P; ++p) sum[r][p] = fma(x, y[p], sum[r][p]);
    }
    a += KStep;
    b += b_step;
  }
}

inline F16 load_columns(const float* p, Index columns) { return columns >= 16 ? F16::load(p) : F16::load_partial(p, columns); }
inline void store_columns(F16 x, float* p, Index columns) {
  if (columns >= 16) {
    x.store(p);
  } else {
    x.store_partial(p, columns);
  }
}

struct Tile {
  const float* a;
  const float* b;
  Index b_step, b_panel, K;
  float* spill;  // where the running chain waits between blocks of k
  Index spill_stride;
  float* c;
  Index c_stride, columns;
  bool is_first, is_last;
  Finish finish;  // bias and pre of the tile's first column and row
};

template <int R, int P>
void gemm_tile(const Tile& t) {
  F16 sum[R][P];
  for (int r = 0; r < R; ++r) {
    for (int p = 0; p < P; ++p) {
      sum[r][p] = t.is_first ? F16::zero() : load_columns(t.spill + r * t.spill_stride + 16 * p, t.columns - 16 * p);
    }
  }
  multiply<R, P, kStripStride, 1>(t.a, t.b, t.b_step, t.b_panel, t.K, sum);
  for (int p = 0; p < P; ++p) {
    const Index columns = t.columns - 16 * p;
    if (!t.is_last) {
      for (int r = 0; r < R; ++r) store_columns(sum[r][p], t.spill + r * t.spill_stride + 16 * p, columns);
      continue;
    }
    const F16 bias = t.finish.bias ? load_columns(t.finish.bias + 16 * p, columns) : F16::zero();
    for (int r = 0; r < R; ++r) {
      F16 x = sum[r][p];
      if (t.finish.bias) x = x + bias;
      if (t.finish.pre) store_columns(x, t.finish.pre + r * t.finish.pre_stride + 16 * p, columns);
      if (t.finish.activation == Activation::relu) x = max(F16::zero(), x);  // NaN stays NaN
      float* c = t.c + r * t.c_stride + 16 * p;
      if (t.finish.accumulate) x = load_columns(c, columns) + x;
      store_columns(x, c, columns);
    }
  }
}

using TileFunction = void (*)(const Tile&);
template <int P, int... R>
struct TileFunctions {
  static constexpr TileFunction of_rows[] = {nullptr, &gemm_tile<R, P>...};
};
#if defined(HEADWATER_ISA_avx512)
template <int P>
using AllRows = TileFunctions<P, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14>;
#else
template <int P>
using AllRows = TileFunctions<P, 1, 2, 3, 4, 5, 6>;
#endif

// Panels [n/16][K][16] of B's rows k.. and columns n.., zero behind the last column.
void pack_plain(const float* b, Index stride, Index K, Index N, float* panels) {
  for (Index n = 0; n < N; n += kPanel, panels += kDepth * kPanel) {
    const Index columns = least(kPanel, N - n);
    for (Index k = 0; k < K; ++k) load_columns(b + k * stride + n, columns).store(panels + k * kPanel);
  }
}
void pack_transposed(const float* b, Index stride, Index K, Index N, float* panels) {
  for (Index n = 0; n < N; n += kPanel, panels += kDepth * kPanel) {
    const Index columns = least(kPanel, N - n);
    transpose_panel(b + n * stride, stride, columns, K, panels);
  }
}

void copy_strip(const float* a, Index stride, Index rows, Index K, float* strip) {
  for (Index r = 0; r < rows; ++r, a += stride, strip += kStripStride) {
    Index k = 0;
    for (; k + 16 <= K; k += 16) F16::load(a + k).store(strip + k);
    if (k < K) F16::load_partial(a + k, K - k).store(strip + k);
  }
}

// Strips of nearly equal height, none above kRows.
struct Strips {
  explicit Strips(Index rows) : rows_(rows), count((rows + kRows - 1) / kRows) {}
  Index begin(Index i) const { return i * rows_ / count; }
  Index rows_, count;
};

void activate_rows(Activation activation, float* c, Index stride, Index rows, Index columns);

void gemm(const GemmBlock& g) {
  float* const panels = g.scratch;
  float* const strip = panels + kDepth * kMostColumns;
  const bool spills_aside = g.finish.accumulate && g.K > kDepth;
  float* const spill = spills_aside ? strip + 16 * kStripStride : g.c;
  const Index spill_stride = spills_aside ? kMostColumns : g.c_stride;
  const bool has_late_activation = g.finish.activation != Activation::none && g.finish.activation != Activation::relu;
  const Strips strips(g.M);
  // A block as flat as this would be packed for nothing: B is read where it is.
  const bool reads_in_place = g.b_layout == Layout::plain && g.M <= 2 * kRows;
  for (Index k = 0; k < g.K || k == 0; k += kDepth) {
    const Index depth = least(kDepth, g.K - k);
    if (!reads_in_place) {
      if (g.b_layout == Layout::plain) {
        pack_plain(g.b + k * g.b_stride, g.b_stride, depth, g.N, panels);
      } else {
        pack_transposed(g.b + k, g.b_stride, depth, g.N, panels);
      }
    }
    for (Index i = 0; i < strips.count; ++i) {
      const Index row = strips.begin(i), rows = strips.begin(i + 1) - row;
      copy_strip(g.a + row * g.a_stride + k, g.a_stride, rows, depth, strip);
      for (Index n = 0; n < g.N; n += kPanels * kPanel) {
        Tile tile{.a = strip,
                  .b = panels + n * kDepth,
                  .b_step = kPanel,
                  .b_panel = kDepth * kPanel,
                  .K = depth,
                  .spill = spill + row * spill_stride + n,
                  .spill_stride = spill_stride,
                  .c = g.c + row * g.c_stride + n,
                  .c_stride = g.c_stride,
                  .columns = least(kPanels * kPanel, g.N - n),
                  .is_first = k == 0,
                  .is_last = k + kDepth >= g.K,
                  .finish = g.finish};
        if (tile.finish.bias) tile.finish.bias += n;
        if (tile.finish.pre) tile.finish.pre += row * g.finish.pre_stride + n;
        if (reads_in_place && tile.columns == kPanels * kPanel) {
          tile.b = g.b + k * g.b_stride + n;
          tile.b_step = g.b_stride;
          tile.b_panel = kPanel;
        } else if (reads_in_place) {
          pack_plain(g.b + k * g.b_stride + n, g.b_stride, depth, tile.columns, panels);
          tile.b = panels;
        }
        if (tile.columns > kPanel) {
          AllRows<kPanels>::of_rows[rows](tile);
        } else {
          AllRows<1>::of_rows[rows](tile);
        }
      }
      if (has_late_activation && k + kDepth >= g.K) {
        activate_rows(g.finish.activation, g.c + row * g.c_stride, g.c_stride, rows, g.N);
      }
    }
  }
}

// --- Weight gradients ---------------------------------------------------------------------------------------------------

struct WeightTile {
  const float* a;  // [k][16]
  const float* b;  // panels [512][16]
  Index K;
  float* stack;  // of this tile, level by level
  Index level_stride;
  int alive;  // partial sums below this one
  int merges;
  bool is_last;
  float* c;
  Index c_stride, columns;
  bool accumulate;
};

template <int R, int P>
void weight_tile(const WeightTile& t) {
  F16 sum[R][P];
  for (int r = 0; r < R; ++r) {
    for (int p = 0; p < P; ++p) sum[r][p] = F16::zero();
  }
  multiply<R, P, 1, 16>(t.a, t.b, kPanel, kChunkTokens * kPanel, t.K, sum);
  int alive = t.alive;
  for (int merge = 0; merge < t.merges; ++merge) {
    const float* lower = t.stack + --alive * t.level_stride;
    for (int r = 0; r < R; ++r) {
      for (int p = 0; p < P; ++p) sum[r][p] = F16::load(lower + r * kMostColumns + 16 * p) + sum[r][p];
    }
  }
  for (int r = 0; r < R; ++r) {
    for (int p = 0; p < P; ++p) {
      const Index columns = t.columns - 16 * p;
      if (!t.is_last) {
        sum[r][p].store(t.stack + alive * t.level_stride + r * kMostColumns + 16 * p);
      } else {
        float* c = t.c + r * t.c_stride + 16 * p;
        store_columns(t.accumulate ? load_columns(c, columns) + sum[r][p] : sum[r][p], c, columns);
      }
    }
  }
}

using WeightTileFunction = void (*)(const WeightTile&);
template <int P, int... R>
struct WeightTileFunctions {
  static constexpr WeightTileFunction of_rows[] = {nullptr, &weight_tile<R, P>...};
};
#if defined(HEADWATER_ISA_avx512)
template <int P>
using AllWeightRows = WeightTileFunctions<P, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14>;
#else
template <int P>
using AllWeightRows = WeightTileFunctions<P, 1, 2, 3, 4, 5, 6>;
#endif

void weight_gradient(const WeightBlock& g) {
  float* const panels = g.scratch;                              // [N/16][512][16]
  float* const strip = panels + kChunkTokens * kMostColumns;    // [512][16]
  float* const stack = strip + kChunkTokens * 16;               // [depth][112][256]
  const Index level_stride = kMostWeightRows * kMostColumns;
  const Strips strips(g.M);
  int alive = 0;
  for (Index leaf = 0; leaf < g.leaf_count; ++leaf) {
    const FoldLeaf& l = g.leaves[leaf];
    const Index tokens = l.end - l.begin;
    for (Index n = 0; n < g.N; n += kPanel) {
      const Index columns = least(kPanel, g.N - n);
      float* panel = panels + n * kChunkTokens;
      for (Index k = 0; k < tokens; ++k) load_columns(g.b + (l.begin + k) * g.b_stride + n, columns).store(panel + k * kPanel);
    }
    for (Index i = 0; i < strips.count; ++i) {
      const Index row = strips.begin(i), rows = strips.begin(i + 1) - row;
      for (Index k = 0; k < tokens; ++k) F16::load_partial(g.a + (l.begin + k) * g.a_stride + row, rows).store(strip + k * 16);
      for (Index n = 0; n < g.N; n += kPanels * kPanel) {
        const WeightTile tile{.a = strip,
                              .b = panels + n * kChunkTokens,
                              .K = tokens,
                              .stack = stack + row * kMostColumns + n,
                              .level_stride = level_stride,
                              .alive = alive,
                              .merges = l.merges,
                              .is_last = leaf + 1 == g.leaf_count,
                              .c = g.c + row * g.c_stride + n,
                              .c_stride = g.c_stride,
                              .columns = least(kPanels * kPanel, g.N - n),
                              .accumulate = g.accumulate};
        if (tile.columns > kPanel) {
          AllWeightRows<kPanels>::of_rows[rows](tile);
        } else {
          AllWeightRows<1>::of_rows[rows](tile);
        }
      }
    }
    alive += 1 - l.merges;
  }
}

void column_sums(const WeightBlock& g) {
  for (Index n = 0; n < g.N; n += kPanel) {
    const Index columns = least(kPanel, g.N - n);
    F16 stack[64];
    int alive = 0;
    for (Index leaf = 0; leaf < g.leaf_count; ++leaf) {
      const FoldLeaf& l = g.leaves[leaf];
      F16 sum = F16::zero();
      for (Index t = l.begin; t < l.end; ++t) sum = sum + load_columns(g.b + t * g.b_stride + n, columns);
      for (int merge = 0; merge < l.merges; ++merge) sum = stack[--alive] + sum;
      stack[alive++] = sum;
    }
    store_columns(g.accumulate ? load_columns(g.c + n, columns) + stack[0] : stack[0], g.c + n, columns);
  }
}

// --- Activations ----------------------------------------------------------------------------------------------------------

constexpr float kRootHalf = 0.70710678118654752f, kRootTwoOverPi = 0.79788456080286536f, kCubic = 0.044715f;
constexpr float kRootOneOverTwoPi = 0.39894228040143268f;

template <Activation A>
inline F16 activated(F16 x) {
  const F16 half = F16::broadcast(0.5f), one = F16::broadcast(1.0f);
  if constexpr (A == Activation::relu) return max(F16::zero(), x);
  if constexpr (A == Activation::gelu) return half * x * (one + erf(x * F16::broadcast(kRootHalf)));
  if constexpr (A == Activation::gelu_tanh) {
    const F16 inner = F16::broadcast(kRootTwoOverPi) * fma(F16::broadcast(kCubic) * x, x * x, x);
    return half * x * (one + tanh(inner));
  }
  if constexpr (A == Activation::silu) return x * sigmoid(x);
  if constexpr (A == Activation::tanh) return tanh(x);
  if constexpr (A == Activation::sigmoid) return sigmoid(x);
  return x;
}

// The derivative; relu, tanh and sigmoid from y, the others from x.
template <Activation A>
inline F16 slope(F16 y, F16 x) {
  const F16 half = F16::broadcast(0.5f), one = F16::broadcast(1.0f);
  if constexpr (A == Activation::relu) return select(less(F16::zero(), y), one, F16::zero());
  if constexpr (A == Activation::gelu) {
    const F16 density = F16::broadcast(kRootOneOverTwoPi) * exp(F16::broadcast(-0.5f) * x * x);
    return fma(x, density, half * (one + erf(x * F16::broadcast(kRootHalf))));
  }
  if constexpr (A == Activation::gelu_tanh) {
    const F16 square = x * x;
    const F16 t = tanh(F16::broadcast(kRootTwoOverPi) * fma(F16::broadcast(kCubic) * x, square, x));
    const F16 inner = F16::broadcast(kRootTwoOverPi) * fma(F16::broadcast(3 * kCubic), square, one);
    return fma(half * x * (one - t * t), inner, half * (one + t));
  }
  if constexpr (A == Activation::silu) {
    const F16 s = sigmoid(x);
    return s * fma(x, one - s, one);
  }
  if constexpr (A == Activation::tanh) return one - y * y;
  if constexpr (A == Activation::sigmoid) return y * (one - y);
  return one;
}

template <Activation A>
void activate_all(const float* x, float* y, Index count) {
  for (Index i = 0; i < count; i += 16) {
    const Index n = count - i;
    store_columns(activated<A>(load_columns(x + i, n)), y + i, n);
  }
}

template <Activation A>
void activate_backward_all(const float* y, const float* pre, const float* dy, float* dx, Index count) {
  for (Index i = 0; i < count; i += 16) {
    const Index n = count - i;
    const F16 value = y ? load_columns(y + i, n) : F16::zero(), before = pre ? load_columns(pre + i, n) : F16::zero();
    store_columns(load_columns(dy + i, n) * slope<A>(value, before), dx + i, n);
  }
}

void activate(Activation activation, const float* x, float* y, Index count) {
  switch (activation) {
    case Activation::none: return activate_all<Activation::none>(x, y, count);
    case Activation::relu: return activate_all<Activation::relu>(x, y, count);
    case Activation::gelu: return activate_all<Activation::gelu>(x, y, count);
    case Activation::gelu_tanh: return activate_all<Activation::gelu_tanh>(x, y, count);
    case Activation::silu: return activate_all<Activation::silu>(x, y, count);
    case Activation::tanh: return activate_all<Activation::tanh>(x, y, count);
    case Activation::sigmoid: return activate_all<Activation::sigmoid>(x, y, count);
  }
}

void activate_backward(Activation activation, const float* y, const float* pre, const float* dy, float* dx, Index count) {
  switch (activation) {
    case Activation::none: return activate_backward_all<Activation::none>(y, pre, dy, dx, count);
    case Activation::relu: return activate_backward_all<Activation::relu>(y, pre, dy, dx, count);
    case Activation::gelu: return activate_backward_all<Activation::gelu>(y, pre, dy, dx, count);
    case Activation::gelu_tanh: return activate_backward_all<Activation::gelu_tanh>(y, pre, dy, dx, count);
    case Activation::silu: return activate_backward_all<Activation::silu>(y, pre, dy, dx, count);
    case Activation::tanh: return activate_backward_all<Activation::tanh>(y, pre, dy, dx, count);
    case Activation::sigmoid: return activate_backward_all<Activation::sigmoid>(y, pre, dy, dx, count);
  }
}

void activate_rows(Activation activation, float* c, Index stride, Index rows, Index columns) {
  for (Index r = 0; r < rows; ++r) activate(activation, c + r * stride, c + r * stride, columns);
}

// --- Cross-entropy --------------------------------------------------------------------------------------------------------

CrossEntropyRowResult cross_entropy_row(const CrossEntropyRow& row) {
  float* const x = row.logits;
  const Index V = row.V, full = V / 16 * 16, rest = V - full;
  const F16 lowest = F16::broadcast(-__builtin_inff());
  F16 most = lowest, total = F16::zero();
  for (Index v = 0; v < full; v += 16) {
    const F16 y = F16::load(x + v);
    most = max(y, most);
    total = total + y;
  }
  if (rest > 0) {
    const F16 y = F16::load_partial(x + full, rest);
    most = max(first_lanes(rest, y, lowest), most);
    total = total + y;
  }
  const float largest = reduce_max(most), label_logit = x[row.label];
  // The label wins unless an earlier element is as large.
  bool is_correct = label_logit == largest;
  for (Index v = 0; is_correct && v < row.label; ++v) is_correct = x[v] != largest;
  const F16 shift = F16::broadcast(largest);
  F16 sum = F16::zero();
  for (Index v = 0; v < full; v += 16) {
    const F16 e = exp(F16::load(x + v) - shift);
    if (row.wants_gradient) e.store(x + v);
    sum = sum + e;
  }
  if (rest > 0) {
    const F16 e = first_lanes(rest, exp(F16::load_partial(x + full, rest) - shift), F16::zero());
    if (row.wants_gradient) e.store_partial(x + full, rest);
    sum = sum + e;
  }
  const float l = reduce_add(sum);
  const float log_sum = largest + first_lane(log(F16::broadcast(l)));
  CrossEntropyRowResult result{.loss = log_sum - label_logit, .is_correct = is_correct};
  if (row.smoothing > 0) {
    const float mean = reduce_add(total) / static_cast<float>(V);
    result.loss = (1.0f - row.smoothing) * result.loss + row.smoothing * (log_sum - mean);
  }
  if (row.wants_gradient) {
    const F16 factor = F16::broadcast(row.loss_scale / l);
    const float uniform = row.loss_scale * (row.smoothing / static_cast<float>(V));
    const F16 everywhere = F16::broadcast(uniform);
    for (Index v = 0; v < full; v += 16) (F16::load(x + v) * factor - everywhere).store(x + v);
    if (rest > 0) (F16::load_partial(x + full, rest) * factor - everywhere).store_partial(x + full, rest);
    x[row.label] -= row.loss_scale * (1.0f - row.smoothing);
  }
  return result;
}

void add_rows(const float* x, float* y, Index count) {
  for (Index i = 0; i < count; i += 16) store_columns(load_columns(y + i, count - i) + load_columns(x + i, count - i), y + i, count - i);
}

}  // namespace

extern const GemmTable gemm_functions;
const GemmTable gemm_functions{.gemm = gemm,
                               .weight_gradient = weight_gradient,
                               .column_sums = column_sums,
                               .activate = activate,
                               .activate_backward = activate_backward,
                               .cross_entropy_row = cross_entropy_row,
                               .add_rows = add_rows};

}  // namespace headwater::kernels::HEADWATER_ISA
