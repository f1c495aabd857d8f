// The innermost part of all products: a tile of R rows and P groups of 16 columns whose sums stay in
// registers.
#pragma once

#include "tensor/kernels/gemm/gemm_table.hpp"
#include "tensor/simd.hpp"

namespace headwater::kernels::HEADWATER_ISA {

// Tiles that fill the registers: 32 of 16 lanes with AVX-512, otherwise 16 of 8 (or 32 of 4).
#ifdef HEADWATER_ISA_avx512
inline constexpr int kTileRows = 14, kTilePanels = 2;
#else
inline constexpr int kTileRows = 6, kTilePanels = 1;
#endif
inline constexpr Index kTileCols = 16 * kTilePanels;
inline constexpr Index kTileFloats = kTileRows * kTileCols;

// How the rows of a stand: each by itself (a[r·a_row + k]), or the rows of a step together (a[k·a_step + r]).
enum class Strip { by_row, by_step };
inline constexpr Index kStripRow =
    kKC + 16;  // of a copy: an odd number of cache lines, no two rows share sets

struct Tile {
  const float* a;
  const float* b;  // b[k·b_step + column]
  Index b_step, steps;
  Index a_row = 0;                 // by_row
  Index a_step = 0;                // by_step
  const float* sums_in = nullptr;  // sums of the steps before, as this tile stored them
  float* sums_out = nullptr;       // where the sums go if they are not finished: R·P groups of 16
  // Partial sums of a reduction, level by level: the first `stack_levels` at stack, the others at local.
  int merges = 0, level = 0;  // so many levels below `level` are added, the topmost first
  int stack_levels = 0;
  float* stack = nullptr;
  float* local = nullptr;
  HEADWATER_INLINE float* at_level(int l) const {
    return (l < stack_levels ? stack : local) + l * kTileFloats;
  }
  float* c = nullptr;  // otherwise
  Index c_stride = 0;
  Index lanes = 16;  // columns of the last group
  bool accumulate = false, is_relu = false;
  const float* bias = nullptr;
  // What the next micro_panel is copied from is brought into L2 meanwhile: rows of one line (two where a
  // micro_panel is by step), every 16 steps.
  const float* prefetch = nullptr;
  Index prefetch_rows = 0, prefetch_stride = 0;
  // And memory further on: so many lines every 16 steps, later_stride apart, later_step further each time.
  const float* later = nullptr;
  Index later_lines = 0, later_stride = 16, later_step = 0;
};

template <int R, int P, Strip S>
void multiply_tile(const Tile& tile) {
  f32x16 sum[R][P];
  if (tile.sums_in) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
      for (int p = 0; p < P; ++p) sum[r][p] = f32x16::load(tile.sums_in + (r * P + p) * 16);
    }
  } else {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
      for (int p = 0; p < P; ++p) sum[r][p] = f32x16::zero();
    }
  }
  if (tile.c) {
    const float* c = tile.c;
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r, c += tile.c_stride) {
#pragma GCC unroll 4
      for (int p = 0; p < P; ++p) __builtin_prefetch(c + 16 * p + 15, 1, 3);
    }
  }
  // A pointer for three rows: the distances to the others are an operand's index.
  constexpr int kTogether = S == Strip::by_row ? 3 : R, kPointers = (R + kTogether - 1) / kTogether;
  const Index a_row = S == Strip::by_row ? tile.a_row : 1, a_step = S == Strip::by_row ? 1 : tile.a_step;
  const float* a[kPointers];
#pragma GCC unroll 16
  for (int i = 0; i < kPointers; ++i) a[i] = tile.a + i * kTogether * a_row;
  const float* b = tile.b;
  const Index b_step = tile.b_step;
  const auto step = [&]() __attribute__((always_inline)) {
    f32x16 column[P];
#pragma GCC unroll 4
    for (int p = 0; p < P; ++p) column[p] = f32x16::load(b + 16 * p);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const f32x16 factor = f32x16::broadcast(a[r / kTogether][r % kTogether * a_row]);
#pragma GCC unroll 4
      for (int p = 0; p < P; ++p) sum[r][p] = fma(factor, column[p], sum[r][p]);
    }
#pragma GCC unroll 16
    for (int i = 0; i < kPointers; ++i) a[i] += a_step;
    b += b_step;
  };
  const float* prefetch = tile.prefetch;
  const float* later = tile.later;
  Index k = 0;
  for (; k + 16 <= tile.steps; k += 16) {
    const float* line = prefetch;
    for (Index row = tile.prefetch_rows; row > 0; --row, line += tile.prefetch_stride) {
      __builtin_prefetch(line, 0, 2);
      if (S == Strip::by_step) __builtin_prefetch(line + R - 1, 0, 2);
    }
    prefetch += S == Strip::by_row ? 16 : 16 * tile.prefetch_stride;
    line = later;
    for (Index left = tile.later_lines; left > 0; --left, line += tile.later_stride)
      __builtin_prefetch(line, 0, 2);
    later += tile.later_step;
#pragma GCC unroll 8
    for (int i = 0; i < 16; ++i) step();
  }
  for (; k < tile.steps; ++k) step();
  for (int m = 1; m <= tile.merges; ++m) {
    const float* lower = tile.at_level(tile.level - m);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
      for (int p = 0; p < P; ++p) sum[r][p] = f32x16::load(lower + (r * P + p) * 16) + sum[r][p];
    }
  }
  if (tile.sums_out) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
      for (int p = 0; p < P; ++p) sum[r][p].store(tile.sums_out + (r * P + p) * 16);
    }
    return;
  }
  if (tile.bias) {
    f32x16 bias[P];
#pragma GCC unroll 4
    for (int p = 0; p < P; ++p) {
      bias[p] = p < P - 1 || tile.lanes == 16 ? f32x16::load(tile.bias + 16 * p)
                                              : f32x16::load_partial(tile.bias + 16 * p, tile.lanes);
    }
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
      for (int p = 0; p < P; ++p) sum[r][p] = sum[r][p] + bias[p];
    }
  }
  if (tile.is_relu) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
      for (int p = 0; p < P; ++p) sum[r][p] = relu(sum[r][p]);
    }
  }
  float* c = tile.c;
  if (tile.lanes == 16) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r, c += tile.c_stride) {
#pragma GCC unroll 4
      for (int p = 0; p < P; ++p) {
        (tile.accumulate ? f32x16::load(c + 16 * p) + sum[r][p] : sum[r][p]).store(c + 16 * p);
      }
    }
  } else {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r, c += tile.c_stride) {
#pragma GCC unroll 4
      for (int p = 0; p < P; ++p) {
        const Index lanes = p < P - 1 ? 16 : tile.lanes;
        (tile.accumulate ? f32x16::load_partial(c + 16 * p, lanes) + sum[r][p] : sum[r][p])
            .store_partial(c + 16 * p, lanes);
      }
    }
  }
}

using TileFunction = void (*)(const Tile&);

// The tile of `rows` <= kTileRows rows.
template <int P, Strip S, int R = 1>
TileFunction tile_of(Index rows) {
  if constexpr (R < kTileRows) {
    if (rows > R) return tile_of<P, S, R + 1>(rows);
  }
  return multiply_tile<R, P, S>;
}
template <Strip S>
TileFunction tile_of(Index rows, Index panels) {
  return panels == kTilePanels ? tile_of<kTilePanels, S>(rows) : tile_of<1, S>(rows);
}

// Columns [first, first + kTileCols) of a block, fewer at its right edge.
struct TileColumns {
  Index first, panels, lanes;  // lanes of the last panel
};
HEADWATER_INLINE TileColumns tile_columns(Index cols, Index first) {
  const Index width = cols - first < kTileCols ? cols - first : kTileCols, panels = (width + 15) / 16;
  return {first, panels, width - 16 * (panels - 1)};
}

// Where the tile at column `first` begins in a packed block of `steps` steps: tiles one after the other,
// [step][columns].
HEADWATER_INLINE Index packed_place(Index first, Index steps) { return first * steps; }

inline constexpr Index kPrefetchedRows = 6;  // rows of b are fetched so long before they are packed

// Packs rows [0, steps) of b (its columns are those of the block) into tiles.
inline void pack_rows(const float* b, Index stride, Index cols, Index steps, float* to) {
  const Index whole = cols / kTileCols * kTileCols;
  for (Index k = 0; k < steps; ++k) {
    const float* from = b + k * stride;
    if (k + kPrefetchedRows < steps) {
      for (Index c = 0; c < cols; c += 16) __builtin_prefetch(from + kPrefetchedRows * stride + c, 0, 2);
    }
    float* place = to + k * kTileCols;
    for (Index c = 0; c < whole; c += kTileCols, place += steps * kTileCols) {
#pragma GCC unroll 4
      for (int p = 0; p < kTilePanels; ++p) f32x16::load(from + c + 16 * p).store(place + 16 * p);
    }
    if (whole < cols) {
      const TileColumns edge = tile_columns(cols, whole);
      float* end = to + packed_place(whole, steps) + k * edge.panels * 16;
      for (Index p = 0; p < edge.panels - 1; ++p) f32x16::load(from + whole + 16 * p).store(end + 16 * p);
      const Index last = 16 * (edge.panels - 1);
      f32x16::load_partial(from + whole + last, edge.lanes).store(end + last);
    }
  }
}

// The same from columns: b(k, column) = x[column·stride + k].
inline void pack_columns(const float* x, Index stride, Index cols, Index steps, float* to) {
  for (Index c = 0; c < cols; c += kTileCols) {
    const TileColumns tile = tile_columns(cols, c);
    const Index step = 16 * tile.panels;
    for (Index p = 0; p < tile.panels; ++p) {
      const Index rows = p < tile.panels - 1 ? 16 : tile.lanes;
      const Index next = c + 16 * p + 16;  // its rows are fetched while this panel is transposed
      for (Index r = next; r < next + 16 && r < cols; ++r) {
        for (Index k = 0; k < steps; k += 16) __builtin_prefetch(x + r * stride + k, 0, 2);
      }
      transpose_panel(x + (c + 16 * p) * stride, stride, rows, steps, to + packed_place(c, steps) + 16 * p,
                      step);
    }
  }
}

// Where part i of `count` nearly equal parts of n begins, in multiples of `unit`.
inline Index part_begin(Index i, Index count, Index n, Index unit) {
  const Index units = (n + unit - 1) / unit, at = i * units / count * unit;
  return at < n ? at : n;
}

// In simd_gemm_weight.cpp.
void weight(const WeightTask& task);
void reduce(const PartialReduction& reduce);

}  // namespace headwater::kernels::HEADWATER_ISA
