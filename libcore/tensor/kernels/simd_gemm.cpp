// a·b with b packed into tiles block by block, a copied strip by strip.
#include "tensor/kernels/simd_activation.hpp"
#include "tensor/kernels/simd_gemm_tile.hpp"

namespace headwater::kernels::HEADWATER_ISA {

namespace {

// rows of a, columns [k, k + steps), one after the other.
void copy_strip(const float* a, Index stride, Index rows, Index steps, float* to) {
  const Index whole = steps / 16 * 16;
  for (Index r = 0; r < rows; ++r, a += stride, to += kStripRow) {
    for (Index k = 0; k < whole; k += 16) F16::load(a + k).store(to + k);
    if (whole < steps) F16::load_partial(a + whole, steps - whole).store(to + whole);
  }
}

// Where part i of `count` nearly equal parts of n begins, in multiples of `unit`.
Index part_begin(Index i, Index count, Index n, Index unit) {
  const Index units = (n + unit - 1) / unit, at = i * units / count * unit;
  return at < n ? at : n;
}

void multiply(const GemmTask& task) {
  const Index M = task.c.rows, N = task.c.cols, K = task.a.cols;
  const Index k_blocks = K > kDepth ? (K + kDepth - 1) / kDepth : 1;
  const Index strips = (M + kTileRows - 1) / kTileRows, tiles = (N + kTileCols - 1) / kTileCols;
  // relu is done in registers; anything else on the strip's rows, still warm.
  const bool is_relu = task.finish.activation == Activation::relu && !task.finish.pre;
  const bool has_more = (task.finish.activation != Activation::none && !is_relu) || task.finish.pre;
  float* strip = task.scratch;
  float* packed = strip + 16 * kStripRow;
  float* kept = packed + (K < kDepth ? K : kDepth) * round_up(N, kTileLanes);
  for (Index block = 0; block < k_blocks; ++block) {
    const Index k = part_begin(block, k_blocks, K, 16), end = part_begin(block + 1, k_blocks, K, 16),
                steps = end - k;
    const bool is_last = block + 1 == k_blocks;
    if (task.is_transposed) {
      pack_columns(task.b.data + k, task.b.stride, N, steps, packed);
    } else {
      pack_rows(task.b.row(k), task.b.stride, N, steps, packed);
    }
    float* place = kept;
    for (Index s = 0; s < strips; ++s) {
      const Index row = s * M / strips, rows = (s + 1) * M / strips - row;
      copy_strip(task.a.row(row) + k, task.a.stride, rows, steps, strip);
      // Each tile fetches some rows of the strip that comes next.
      const float* next = s + 1 < strips ? task.a.row(row + rows) + k : task.a.row(0) + (is_last ? k : end);
      const Index ahead_rows = (kTileRows + tiles - 1) / tiles;
      Index ahead = 0;
      for (Index n = 0; n < N; n += kTileCols, place += kTileFloats) {
        const TileColumns columns = tile_columns(N, n);
        Tile tile{
            .a = strip, .b = packed + packed_place(n, steps), .b_step = 16 * columns.panels, .steps = steps};
        tile.before = block > 0 ? place : nullptr;
        tile.lanes = columns.lanes;
        if (is_last) {
          tile.c = task.c.row(row) + n;
          tile.c_stride = task.c.stride;
          tile.accumulate = task.finish.accumulate;
          tile.is_relu = is_relu;
          tile.bias = task.finish.bias ? task.finish.bias + n : nullptr;
        } else {
          tile.kept = place;
        }
        tile.ahead = next + ahead * task.a.stride;
        tile.ahead_stride = task.a.stride;
        tile.ahead_rows = ahead + ahead_rows < rows ? ahead_rows : rows - ahead;
        ahead += tile.ahead_rows;
        tile_of<Strip::by_row>(rows, columns.panels)(tile);
      }
      if (!is_last || !has_more) continue;
      for (Index r = row; r < row + rows; ++r) {
        if (task.finish.pre) copy_values(N, task.c.row(r), task.finish.pre.row(r));
        activate(task.finish.activation, N, task.c.row(r), task.c.row(r));
      }
    }
  }
}

// A step's rows together: x[t][first .. first + rows) for each token of the segment.
void copy_steps(MatrixOf<const float> x, Index begin, Index end, Index first, Index rows, float* to) {
  if (first + 16 <= x.cols) {
    for (Index t = begin; t < end; ++t, to += 16) F16::load(x.row(t) + first).store(to);
  } else {
    for (Index t = begin; t < end; ++t, to += 16) F16::load_partial(x.row(t) + first, rows).store(to);
  }
}

// The sums of each packed column over the tokens of a leaf, folded on a stack of their own.
struct ColumnSums {
  float* stack;  // [depth][cols]
  Index cols;
};

void fold_columns(const float* packed, Index block_steps, Index first_step, Index steps, Index N,
                  const ColumnSums& sums, int top, int merges) {
  for (Index n = 0; n < N; n += 16) {
    const Index tile = n / kTileCols * kTileCols, step = 16 * tile_columns(N, tile).panels;
    const float* b = packed + packed_place(tile, block_steps) + first_step * step + (n - tile);
    F16 sum = F16::zero();
    for (Index k = 0; k < steps; ++k) sum = sum + F16::load(b + k * step);
    for (int m = 1; m <= merges; ++m) sum = F16::load(sums.stack + (top - m) * sums.cols + n) + sum;
    sum.store(sums.stack + (top - merges) * sums.cols + n);
  }
}

void fill_zero(Index n, float* y) {
  for (Index i = 0; i < n; ++i) y[i] = 0;
}

void weight(const WeightTask& task) {
  const Index M = task.c.rows, N = task.c.cols, cols = round_up(N, kTileLanes);
  const Index strips = (M + kTileRows - 1) / kTileRows, tiles = (N + kTileCols - 1) / kTileCols;
  float* packed = task.scratch;
  float* strip = packed + kSegmentTokens * cols;
  float* stacks = strip + kSegmentTokens * 16;
  const ColumnSums sums{stacks + task.depth * (M + 16) * cols, cols};
  const Index origin = task.leaf_count > 0 ? task.leaves[0].begin : 0;
  const auto merges_of = [&](Index leaf) {
    return leaf + 1 < task.leaf_count ? task.leaves[leaf].merges : task.last_merges;
  };
  int top = 0;
  for (Index leaf = 0; leaf < task.leaf_count;) {
    // Consecutive leaves of at most kSegmentTokens tokens together.
    const Index begin = task.leaves[leaf].begin;
    Index last = leaf;
    while (last + 1 < task.leaf_count && task.leaves[last + 1].end - begin <= kSegmentTokens) ++last;
    const Index end = task.leaves[last].end, steps = end - begin;
    pack_rows(task.y.row(begin - origin), task.y.stride, N, steps, packed);
    int next_top = top;
    for (Index l = leaf; l <= last; ++l, ++next_top) {
      const FoldLeaf& part = task.leaves[l];
      if (task.column_sums) {
        fold_columns(packed, steps, part.begin - begin, part.end - part.begin, N, sums, next_top,
                     merges_of(l));
      }
      next_top -= merges_of(l);
    }
    float* stack = stacks;
    for (Index s = 0; s < strips; ++s) {
      const Index row = s * M / strips, rows = (s + 1) * M / strips - row;
      copy_steps(task.x, begin - origin, end - origin, row, rows, strip);
      const float* next = task.x.row(begin - origin) + (s + 1 < strips ? row + rows : 0);
      const Index ahead_rows = (16 + tiles - 1) / tiles;
      Index ahead = 0;
      for (Index n = 0; n < N; n += kTileCols, stack += task.depth * kTileFloats) {
        const TileColumns columns = tile_columns(N, n);
        const Index b_step = 16 * columns.panels;
        const TileFunction function = tile_of<Strip::by_step>(rows, columns.panels);
        int level = top;
        for (Index l = leaf; l <= last; ++l, ++level) {
          const FoldLeaf& part = task.leaves[l];
          const Index first = part.begin - begin;
          Tile tile{.a = strip + 16 * first,
                    .b = packed + packed_place(n, steps) + first * b_step,
                    .b_step = b_step,
                    .steps = part.end - part.begin};
          tile.ahead = next + (first + ahead) * task.x.stride;
          tile.ahead_stride = task.x.stride;
          tile.ahead_rows = ahead + ahead_rows < 16 ? ahead_rows : 16 - ahead;
          tile.merges = merges_of(l);
          tile.fold = stack + level * kTileFloats;
          tile.lanes = columns.lanes;
          level -= tile.merges;
          if (l + 1 == task.leaf_count) {
            tile.c = task.c.row(row) + n;
            tile.c_stride = task.c.stride;
            tile.accumulate = task.accumulate;
          } else {
            tile.kept = stack + level * kTileFloats;
          }
          function(tile);
        }
        ahead = ahead + ahead_rows < 16 ? ahead + ahead_rows : 16;
      }
    }
    top = next_top;
    leaf = last + 1;
  }
  if (task.leaf_count == 0 && !task.accumulate) {
    for (Index r = 0; r < M; ++r) fill_zero(N, task.c.row(r));
    if (task.column_sums) fill_zero(N, task.column_sums);
  }
  if (task.leaf_count == 0 || !task.column_sums) return;
  for (Index n = 0; n < N; n += 16) {
    const Index lanes = N - n < 16 ? N - n : 16;
    const F16 sum = F16::load(sums.stack + n);
    (task.accumulate ? F16::load_partial(task.column_sums + n, lanes) + sum : sum)
        .store_partial(task.column_sums + n, lanes);
  }
}

void fold(const PartialFold& f) {
  F16 stack[kMostParts];
  for (Index i = 0; i < f.values; i += 16) {
    const Index lanes = f.values - i < 16 ? f.values - i : 16;
    int top = 0;
    for (Index part = 0; part < f.count; ++part, ++top) {
      F16 sum = F16::load_partial(f.parts + part * f.part_stride + i, lanes);
      for (int m = 0; m < f.merges[part]; ++m) sum = stack[--top] + sum;
      stack[top] = sum;
    }
    (f.accumulate ? F16::load_partial(f.to + i, lanes) + stack[0] : stack[0]).store_partial(f.to + i, lanes);
  }
}

}  // namespace

extern const GemmTable gemm_functions;
const GemmTable gemm_functions{multiply, weight, fold, activate, activation_backward};

}  // namespace headwater::kernels::HEADWATER_ISA
