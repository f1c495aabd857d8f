// Weight gradients: Σ_t x[t]ᵀ y[t], the fold over tokens tile by tile.
#include "tensor/kernels/simd_gemm_tile.hpp"

namespace headwater::kernels::HEADWATER_ISA {

namespace {

// A step's rows together: x[t][first .. first + rows) for each token of the segment.
void copy_steps(MatrixOf<const float> x, Index begin, Index end, Index first, Index rows, float* to) {
  if (first + 16 <= x.cols) {
    for (Index t = begin; t < end; ++t, to += 16) F16::load(x.row(t) + first).store(to);
  } else {
    for (Index t = begin; t < end; ++t, to += 16) F16::load_partial(x.row(t) + first, rows).store(to);
  }
}

// A leaf's tokens within a segment, counted from the segment's first.
struct Piece {
  Index first, steps;
  bool begins, ends;  // its leaf
  bool is_last;       // of all
  int merges;
};

// Consecutive tokens that are packed together: whole leaves as many as fit, or a part of one.
struct Segment {
  Index leaf, begin, end;  // first leaf; tokens
};

Segment segment_at(const WeightTask& task, Index leaf, Index begin, Index most) {
  Segment segment{leaf, begin, task.leaves[leaf].end};
  const Index left = segment.end - begin;
  if (left > most) {
    segment.end = begin + part_begin(1, (left + most - 1) / most, left, 16);
    return segment;
  }
  while (++leaf < task.leaf_count && task.leaves[leaf].end - begin <= most)
    segment.end = task.leaves[leaf].end;
  return segment;
}

// f(piece, level) for the pieces of a segment, `top` partial sums being alive before; returns how many are
// after.
template <class F>
int for_each_piece(const WeightTask& task, const Segment& segment, int top, const F& f) {
  for (Index leaf = segment.leaf; leaf < task.leaf_count && task.leaves[leaf].begin < segment.end; ++leaf) {
    const FoldLeaf& whole = task.leaves[leaf];
    const Index begin = whole.begin > segment.begin ? whole.begin : segment.begin;
    const Index end = whole.end < segment.end ? whole.end : segment.end;
    const bool is_last = leaf + 1 == task.leaf_count;
    Piece piece{begin - segment.begin,       end - begin,
                begin == whole.begin,        end == whole.end,
                is_last && end == whole.end, 0};
    if (piece.ends) piece.merges = is_last ? task.last_merges : whole.merges;
    f(piece, top);
    if (piece.ends) top += 1 - piece.merges;
  }
  return top;
}

// The sums of packed columns over the tokens of a piece, folded on a stack [depth][cols] of their own. Eight
// groups at a time: a single chain would wait for each addition.
void fold_columns(const float* packed, Index block_steps, const Piece& piece, Index N, float* stack,
                  Index cols, int level) {
  constexpr int kGroups = 8;
  for (Index n = 0; n < N; n += 16 * kGroups) {
    const float* b[kGroups];
    Index step[kGroups];
    F16 sum[kGroups];
#pragma GCC unroll 8
    for (int g = 0; g < kGroups; ++g) {
      const Index column = n + 16 * g < N ? n + 16 * g : n, tile = column / kTileCols * kTileCols;
      step[g] = 16 * tile_columns(N, tile).panels;
      b[g] = packed + packed_place(tile, block_steps) + piece.first * step[g] + (column - tile);
      sum[g] = piece.begins ? F16::zero() : F16::load(stack + level * cols + column);
    }
    for (Index k = 0; k < piece.steps; ++k) {
#pragma GCC unroll 8
      for (int g = 0; g < kGroups; ++g) sum[g] = sum[g] + F16::load(b[g] + k * step[g]);
    }
    for (int g = 0; g < kGroups && n + 16 * g < N; ++g) {
      F16 folded = sum[g];
      float* place = stack + n + 16 * g;
      for (int m = 1; m <= piece.merges; ++m) folded = F16::load(place + (level - m) * cols) + folded;
      folded.store(place + (level - piece.merges) * cols);
    }
  }
}

void fill_zero(Index n, float* y) {
  for (Index i = 0; i < n; ++i) y[i] = 0;
}

void store_column_sums(const float* sums, Index N, const WeightTask& task) {
  for (Index n = 0; n < N; n += 16) {
    const Index lanes = N - n < 16 ? N - n : 16;
    const F16 sum = F16::load(sums + n);
    (task.accumulate ? F16::load_partial(task.column_sums + n, lanes) + sum : sum)
        .store_partial(task.column_sums + n, lanes);
  }
}

// What a segment's tiles fetch for the segment after it, while that lies in one stretch of memory.
struct Far {
  const float* at = nullptr;
  const float* end = nullptr;
  Index lines = 0;  // every 16 steps of a tile
};
Far far_of(MatrixOf<const float> y, Index begin, Index rows, Index tiles, Index steps) {
  if (y.stride != y.cols || begin >= y.rows) return {};
  if (rows > y.rows - begin) rows = y.rows - begin;
  const Index calls = tiles * (steps / 16);
  if (calls == 0) return {};
  return {y.row(begin), y.row(begin) + rows * y.cols, (rows * y.cols / 16 + calls - 1) / calls};
}

}  // namespace

void weight(const WeightTask& task) {
  const Index M = task.c.rows, N = task.c.cols, cols = round_up(N, kTileLanes);
  const Index strips = (M + kTileRows - 1) / kTileRows, tiles = (N + kTileCols - 1) / kTileCols;
  const Index most = segment_tokens(N);
  float* packed = task.scratch;
  float* strip = packed + most * cols;
  float* passing = strip + most * 16;
  float* column_stack = passing + task.depth * kTileFloats;
  float* stacks = column_stack + task.depth * cols;
  if (task.leaf_count == 0) {
    for (Index r = 0; r < M && !task.accumulate; ++r) fill_zero(N, task.c.row(r));
    if (task.column_sums && !task.accumulate) fill_zero(N, task.column_sums);
    return;
  }
  const Index origin = task.leaves[0].begin, last_token = task.leaves[task.leaf_count - 1].end;
  int top = 0;
  for (Index leaf = 0, token = origin; token < last_token;) {
    const Segment segment = segment_at(task, leaf, token, most);
    const Index first_row = segment.begin - origin, steps = segment.end - segment.begin;
    pack_rows(task.y.row(first_row), task.y.stride, N, steps, packed);
    const int lasting = for_each_piece(task, segment, top, [&](const Piece& piece, int level) {
      if (task.column_sums) fold_columns(packed, steps, piece, N, column_stack, cols, level);
    });
    // Levels that were there before or will be there after, with the running sum of a leaf that is cut; the
    // others pass within a tile.
    const int after = lasting + (segment.end < task.leaves[segment.leaf].end);
    const int levels = top > after ? top : after;
    Far far = far_of(task.y, segment.end - origin, most, strips * tiles, steps);
    float* stack = stacks;
    for (Index s = 0; s < strips; ++s) {
      const Index row = s * M / strips, rows = (s + 1) * M / strips - row;
      copy_steps(task.x, first_row, first_row + steps, row, rows, strip);
      const float* next = s + 1 < strips ? task.x.row(first_row) + row + rows : nullptr;
      if (!next && segment.end < last_token) next = task.x.row(segment.end - origin);
      const Index ahead_rows = next ? (16 + tiles - 1) / tiles : 0;
      Index ahead = 0;
      for (Index n = 0; n < N; n += kTileCols, stack += task.depth * kTileFloats) {
        const TileColumns columns = tile_columns(N, n);
        const Index b_step = 16 * columns.panels;
        const TileFunction function = tile_of<Strip::by_step>(rows, columns.panels);
        for_each_piece(task, segment, top, [&](const Piece& piece, int level) {
          Tile tile{.a = strip + 16 * piece.first,
                    .b = packed + packed_place(n, steps) + piece.first * b_step,
                    .b_step = b_step,
                    .steps = piece.steps};
          tile.ahead = next + (next ? (piece.first + ahead) * task.x.stride : 0);
          tile.ahead_stride = task.x.stride;
          tile.ahead_rows = ahead + ahead_rows < 16 ? ahead_rows : 16 - ahead;
          if (far.at < far.end) {
            tile.far = far.at;
            tile.far_lines = far.lines;
            tile.far_step = 16 * far.lines;
            far.at += piece.steps / 16 * far.lines * 16;
          }
          tile.merges = piece.merges;
          tile.level = level;
          tile.lasting = levels;
          tile.stack = stack;
          tile.passing = passing;
          tile.lanes = columns.lanes;
          if (!piece.begins) tile.before = tile.at_level(level);
          if (piece.is_last) {
            tile.c = task.c.row(row) + n;
            tile.c_stride = task.c.stride;
            tile.accumulate = task.accumulate;
          } else {
            tile.kept = tile.at_level(level - piece.merges);
          }
          function(tile);
        });
        ahead = ahead + ahead_rows < 16 ? ahead + ahead_rows : 16;
      }
    }
    top = lasting;
    token = segment.end;
    for (leaf = segment.leaf; leaf < task.leaf_count && task.leaves[leaf].end <= token;) ++leaf;
  }
  if (task.column_sums) store_column_sums(column_stack, N, task);
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

}  // namespace headwater::kernels::HEADWATER_ISA
