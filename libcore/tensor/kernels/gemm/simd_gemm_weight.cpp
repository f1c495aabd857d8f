// Weight gradients: Σ_t x[t]ᵀ y[t], the reduction over tokens tile by tile.
#include "tensor/kernels/gemm/simd_gemm_tile.hpp"

namespace headwater::kernels::HEADWATER_ISA {

namespace {

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
    const ReductionLeaf& whole = task.leaves[leaf];
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

// The sums of packed columns over the tokens of a piece, reduced on a stack [depth][cols] of their own. Eight
// groups at a time: a single chain would wait for each addition.
void reduce_columns(const float* packed, Index block_steps, const Piece& piece, Index N, float* stack,
                    Index cols, int level) {
  constexpr int kGroups = 8;
  for (Index n = 0; n < N; n += 16 * kGroups) {
    const float* b[kGroups];
    Index step[kGroups];
    f32x16 sum[kGroups];
#pragma GCC unroll 8
    for (int g = 0; g < kGroups; ++g) {
      const Index column = n + 16 * g < N ? n + 16 * g : n, tile = column / kTileCols * kTileCols;
      step[g] = 16 * tile_columns(N, tile).panels;
      b[g] = packed + packed_place(tile, block_steps) + piece.first * step[g] + (column - tile);
      sum[g] = piece.begins ? f32x16::zero() : f32x16::load(stack + level * cols + column);
    }
    for (Index k = 0; k < piece.steps; ++k) {
#pragma GCC unroll 8
      for (int g = 0; g < kGroups; ++g) sum[g] = sum[g] + f32x16::load(b[g] + k * step[g]);
    }
    for (int g = 0; g < kGroups && n + 16 * g < N; ++g) {
      f32x16 reduced = sum[g];
      float* place = stack + n + 16 * g;
      for (int m = 1; m <= piece.merges; ++m) reduced = f32x16::load(place + (level - m) * cols) + reduced;
      reduced.store(place + (level - piece.merges) * cols);
    }
  }
}

void fill_zero(Index n, float* y) {
  for (Index i = 0; i < n; ++i) y[i] = 0;
}

void store_column_sums(const float* sums, Index N, const WeightTask& task) {
  for (Index n = 0; n < N; n += 16) {
    const Index lanes = N - n < 16 ? N - n : 16;
    const f32x16 sum = f32x16::load(sums + n);
    (task.accumulate ? f32x16::load_partial(task.column_sums + n, lanes) + sum : sum)
        .store_partial(task.column_sums + n, lanes);
  }
}

// What a segment's tiles fetch for the segment after it, while that lies in one stretch of memory.
struct NextRows {
  const float* at = nullptr;
  const float* end = nullptr;
  Index lines = 0;  // every 16 steps of a tile
};
NextRows rows_after(MatrixOf<const float> y, Index begin, Index rows, Index tiles, Index steps) {
  if (y.stride != y.cols || begin >= y.rows) return {};
  if (rows > y.rows - begin) rows = y.rows - begin;
  const Index calls = tiles * (steps / 16);
  if (calls == 0) return {};
  return {y.row(begin), y.row(begin) + rows * y.cols, (rows * y.cols / 16 + calls - 1) / calls};
}

// The product segment by segment of tokens: pack y, then micro_panel by micro_panel of x (some columns, read
// where they are), tile by tile, leaf by leaf.
class ReducedProduct {
 public:
  explicit ReducedProduct(const WeightTask& task)
      : task_(task),
        M_(task.c.rows),
        N_(task.c.cols),
        cols_(round_up(N_, kTileLanes)),
        micro_panels_((M_ + kTileRows - 1) / kTileRows),
        tiles_((N_ + kTileCols - 1) / kTileCols),
        most_(segment_tokens(N_)),
        packed_(task.scratch),
        local_sums_(packed_ + most_ * cols_),
        column_stack_(local_sums_ + task.depth * kTileFloats),
        stacks_(column_stack_ + task.depth * cols_) {}

  void run() {
    origin_ = task_.leaves[0].begin;
    last_token_ = task_.leaves[task_.leaf_count - 1].end;
    Index leaf = 0;
    for (Index token = origin_; token < last_token_; token = segment_.end) {
      segment_ = segment_at(task_, leaf, token, most_);
      run_segment();
      while (leaf < task_.leaf_count && task_.leaves[leaf].end <= segment_.end) ++leaf;
    }
    if (task_.column_sums) store_column_sums(column_stack_, N_, task_);
  }

 private:
  void run_segment() {
    const Index row = segment_.begin - origin_;
    steps_ = segment_.end - segment_.begin;
    pack_rows(task_.y.row(row), task_.y.stride, N_, steps_, packed_);
    const int open_levels = for_each_piece(task_, segment_, top_, [&](const Piece& piece, int level) {
      if (task_.column_sums) reduce_columns(packed_, steps_, piece, N_, column_stack_, cols_, level);
    });
    // Levels that were there before or will be there after, each with the running sum of a leaf that is cut;
    // the others pass within a tile.
    const int after = open_levels + (segment_.end < task_.leaves[segment_.leaf].end);
    const int before = top_ + (segment_.begin > task_.leaves[segment_.leaf].begin);
    levels_ = before > after ? before : after;
    next_segment_ = rows_after(task_.y, segment_.end - origin_, most_, micro_panels_ * tiles_, steps_);
    stack_ = stacks_;
    for (Index s = 0; s < micro_panels_; ++s) {
      const Index first = s * M_ / micro_panels_, rows = (s + 1) * M_ / micro_panels_ - first;
      next_ = s + 1 < micro_panels_ ? task_.x.row(row) + first + rows : nullptr;
      if (!next_ && segment_.end < last_token_) next_ = task_.x.row(segment_.end - origin_);
      next_rows_ = next_ ? 16 : 0;
      for (Index n = 0; n < N_; n += kTileCols) run_tile(first, rows, tile_columns(N_, n));
    }
    top_ = open_levels;
  }

  void run_tile(Index row, Index rows, const TileColumns& columns) {
    const Index b_step = 16 * columns.panels, share = (16 + tiles_ - 1) / tiles_;
    const TileFunction function = tile_of<Strip::by_step>(rows, columns.panels);
    const Index prefetch_rows = share < next_rows_ ? share : next_rows_;
    for_each_piece(task_, segment_, top_, [&](const Piece& piece, int level) {
      Tile tile{.a = task_.x.row(segment_.begin - origin_ + piece.first) + row,
                .b = packed_ + packed_place(columns.first, steps_) + piece.first * b_step,
                .b_step = b_step,
                .steps = piece.steps,
                .a_step = task_.x.stride};
      tile.merges = piece.merges;
      tile.level = level;
      tile.stack_levels = levels_;
      tile.stack = stack_;
      tile.local = local_sums_;
      tile.lanes = columns.lanes;
      if (!piece.begins) tile.sums_in = tile.at_level(level);
      if (piece.is_last) {
        tile.c = task_.c.row(row) + columns.first;
        tile.c_stride = task_.c.stride;
        tile.accumulate = task_.accumulate;
      } else {
        tile.sums_out = tile.at_level(level - piece.merges);
      }
      if (prefetch_rows > 0) tile.prefetch = next_ + piece.first * task_.x.stride;
      tile.prefetch_stride = task_.x.stride;
      tile.prefetch_rows = prefetch_rows;
      prefetch_next_segment(tile);
      function(tile);
    });
    next_ += prefetch_rows * task_.x.stride;
    next_rows_ -= prefetch_rows;
    stack_ += task_.depth * kTileFloats;
  }

  void prefetch_next_segment(Tile& tile) {
    if (next_segment_.at >= next_segment_.end) return;
    tile.later = next_segment_.at;
    tile.later_lines = next_segment_.lines;
    tile.later_step = 16 * next_segment_.lines;
    next_segment_.at += tile.steps / 16 * tile.later_step;
  }

  const WeightTask& task_;
  const Index M_, N_, cols_, micro_panels_, tiles_, most_;
  float* const packed_;        // y of the segment
  float* const local_sums_;    // partial sums that begin and end within a tile's turn
  float* const column_stack_;  // partial sums of y's columns
  float* const stacks_;        // partial sums that wait for another segment, tile by tile

  Index origin_ = 0, last_token_ = 0;
  Segment segment_ = {};
  Index steps_ = 0;
  int top_ = 0, levels_ = 0;  // partial sums alive; of these and those to come, how many last
  float* stack_ = nullptr;    // of this tile
  NextRows next_segment_;
  const float* next_ = nullptr;
  Index next_rows_ = 0;
};

// One leaf of T tokens: c is written row by row, as memory likes it.
template <int T>
void weight_gemv(const WeightTask& task) {
  const Index N = task.c.cols, whole = N / 16 * 16;
  for (Index m = 0; m < task.c.rows; ++m) {
    f32x16 factor[T];
#pragma GCC unroll 4
    for (int t = 0; t < T; ++t) factor[t] = f32x16::broadcast(task.x.row(t)[m]);
    float* const c = task.c.row(m);
    const auto sum_at = [&](Index n, auto load) __attribute__((always_inline)) {
      f32x16 sum = f32x16::zero();
#pragma GCC unroll 4
      for (int t = 0; t < T; ++t) sum = fma(factor[t], load(task.y.row(t) + n), sum);
      return task.accumulate ? load(c + n) + sum : sum;
    };
    for (Index n = 0; n < whole; n += 16)
      sum_at(n, [](const float* p) { return f32x16::load(p); }).store(c + n);
    if (whole < N) {
      const Index lanes = N - whole;
      sum_at(whole, [=](const float* p) {
        return f32x16::load_partial(p, lanes);
      }).store_partial(c + whole, lanes);
    }
  }
  for (Index n = 0; task.column_sums && n < N; n += 16) {
    const Index lanes = N - n < 16 ? N - n : 16;
    f32x16 sum = f32x16::zero();
    for (int t = 0; t < T; ++t) sum = sum + f32x16::load_partial(task.y.row(t) + n, lanes);
    (task.accumulate ? f32x16::load_partial(task.column_sums + n, lanes) + sum : sum)
        .store_partial(task.column_sums + n, lanes);
  }
}

}  // namespace

void weight(const WeightTask& task) {
  const Index tokens = task.leaf_count == 1 ? task.leaves[0].end - task.leaves[0].begin : 0;
  switch (task.last_merges == 0 && tokens <= kGemvRows ? tokens : 0) {
    case 1:
      return weight_gemv<1>(task);
    case 2:
      return weight_gemv<2>(task);
    case 3:
      return weight_gemv<3>(task);
    case 4:
      return weight_gemv<4>(task);
    default:
      break;
  }
  if (task.leaf_count > 0) {
    ReducedProduct(task).run();
  } else if (!task.accumulate) {
    for (Index r = 0; r < task.c.rows; ++r) fill_zero(task.c.cols, task.c.row(r));
    if (task.column_sums) fill_zero(task.c.cols, task.column_sums);
  }
}

void reduce(const PartialReduction& f) {
  f32x16 stack[kMaxParts];
  for (Index i = 0; i < f.values; i += 16) {
    const Index lanes = f.values - i < 16 ? f.values - i : 16;
    int top = 0;
    for (Index part = 0; part < f.count; ++part, ++top) {
      f32x16 sum = f32x16::load_partial(f.parts + part * f.part_stride + i, lanes);
      for (int m = 0; m < f.merges[part]; ++m) sum = stack[--top] + sum;
      stack[top] = sum;
    }
    (f.accumulate ? f32x16::load_partial(f.to + i, lanes) + stack[0] : stack[0])
        .store_partial(f.to + i, lanes);
  }
}

}  // namespace headwater::kernels::HEADWATER_ISA
