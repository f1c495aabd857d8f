// a·b with b packed into tiles block by block, a micro_panel by micro_panel.
#include "tensor/kernels/activation/simd_activation.hpp"
#include "tensor/kernels/gemm/simd_gemm_tile.hpp"

namespace headwater::kernels::HEADWATER_ISA {

namespace {

// rows of a, columns [k, k + steps), one after the other.
void copy_micro_panel(const float* a, Index stride, Index rows, Index steps, float* to) {
  const Index whole = steps / 16 * 16;
  for (Index r = 0; r < rows; ++r, a += stride, to += kStripRow) {
    for (Index k = 0; k < whole; k += 16) f32x16::load(a + k).store(to + k);
    if (whole < steps) f32x16::load_partial(a + whole, steps - whole).store(to + whole);
  }
}

// relu is done in registers; anything else on the rows, still warm.
struct Rest {
  bool is_relu, has_more;
  explicit Rest(const GemmEpilogue& epilogue)
      : is_relu(epilogue.activation == Activation::relu),
        has_more((epilogue.activation != Activation::none && !is_relu) ||
                 epilogue.undone.activation != Activation::none) {}
};
void finish_rows(const GemmTask& task, Index row, Index rows) {
  const Index N = task.c.cols;
  const UndoneActivation& undone = task.epilogue.undone;
  for (Index r = row; r < row + rows; ++r) {
    if (undone.activation != Activation::none) {
      activation_backward(undone.activation, N, undone.kept.row(r), task.c.row(r), task.c.row(r));
      continue;
    }
    activate(task.epilogue.activation, N, task.c.row(r), task.c.row(r),
             task.epilogue.slope ? task.epilogue.slope.row(r) : nullptr);
  }
}

// G steps of R rows over all columns; the running sums lie in sums [R][cols].
template <int R, int G>
void gemv_steps(const GemmTask& task, Index k, float* sums, Index cols) {
  const Index N = task.c.cols, stride = task.b.stride;
  const float* b = task.b.row(k);
  f32x16 factor[R][G];
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 8
    for (int g = 0; g < G; ++g) factor[r][g] = f32x16::broadcast(task.a.row(r)[k + g]);
  }
  const auto group = [&](Index n, auto load) __attribute__((always_inline)) {
    f32x16 sum[R];
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) sum[r] = f32x16::load(sums + r * cols + n);
#pragma GCC unroll 8
    for (int g = 0; g < G; ++g) {
      const f32x16 column = load(b + g * stride + n);
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) sum[r] = fma(factor[r][g], column, sum[r]);
    }
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) sum[r].store(sums + r * cols + n);
  };
  const Index whole = N / 16 * 16;
  for (Index n = 0; n < whole; n += 16) group(n, [](const float* p) { return f32x16::load(p); });
  if (whole < N) group(whole, [&](const float* p) { return f32x16::load_partial(p, N - whole); });
}

template <int R>
void multiply_gemv(const GemmTask& task) {
  constexpr int kSteps = R <= 2 ? 8 : 4;
  const Index N = task.c.cols, K = task.a.cols, cols = round_up(N, 16);
  const Rest rest(task.epilogue);
  float* sums = task.scratch;
  for (Index i = 0; i < R * cols; i += 16) f32x16::zero().store(sums + i);
  Index k = 0;
  for (; k + kSteps <= K; k += kSteps) gemv_steps<R, kSteps>(task, k, sums, cols);
  for (; k < K; ++k) gemv_steps<R, 1>(task, k, sums, cols);
  for (Index r = 0; r < R; ++r) {
    for (Index n = 0; n < N; n += 16) {
      const Index lanes = N - n < 16 ? N - n : 16;
      f32x16 sum = f32x16::load(sums + r * cols + n);
      if (task.epilogue.bias) sum = sum + f32x16::load_partial(task.epilogue.bias + n, lanes);
      if (rest.is_relu) sum = relu(sum);
      float* c = task.c.row(r) + n;
      (task.epilogue.accumulate ? f32x16::load_partial(c, lanes) + sum : sum).store_partial(c, lanes);
    }
  }
  if (rest.has_more) finish_rows(task, 0, R);
}

// Rows a multiple of this apart all lie in one set of L1 and drive each other out; so many columns of them
// are copied side by side first.
constexpr Index kSetDistance = 1024, kCopied = 128, kCopiedStride = kCopied + 16;

// a·bᵀ of R rows for columns [n, n + 16·G), of the last 16 those that are there: 16 rows of b at a time are
// transposed in registers, so that b is read once. Each 16 columns are a chain of their own; several overlap.
template <int R, int G>
void gemv_transposed(const GemmTask& task, const Rest& rest, Index n) {
  const Index N = task.c.cols, K = task.a.cols, stride = task.b.stride;
  const Index rows = N - n < 16 * G ? N - n - 16 * (G - 1) : 16;  // of the last group
  f32x16 sum[G][R];
#pragma GCC unroll 4
  for (int g = 0; g < G; ++g) {
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) sum[g][r] = f32x16::zero();
  }
  f32x16 part[16];
  const auto add = [&](int g, Index k, const f32x16& column) __attribute__((always_inline)) {
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) sum[g][r] = fma(f32x16::broadcast(task.a.row(r)[k]), column, sum[g][r]);
  };
  const auto add_whole = [&](const float* b, Index distance, Index k) __attribute__((always_inline)) {
#pragma GCC unroll 4
    for (int g = 0; g < G; ++g) {
      load_transposed(b + 16 * g * distance, distance, part);
#pragma GCC unroll 16
      for (int i = 0; i < 16; ++i) add(g, k + i, part[i]);
    }
  };
  const Index whole = rows == 16 ? K / 16 * 16 : 0;
  const float* const b = task.b.row(n);
  Index k = 0;
  if (stride % kSetDistance == 0) {
    for (; k + kCopied <= whole; k += kCopied) {
      for (Index r = 0; r < 16 * G; ++r)
        copy_values(kCopied, b + r * stride + k, task.scratch + r * kCopiedStride);
      for (Index i = 0; i < kCopied; i += 16) add_whole(task.scratch + i, kCopiedStride, k + i);
    }
  }
  for (; k < whole; k += 16) add_whole(b + k, stride, k);
  for (; k < K; k += 16) {  // at the edges
    const Index width = K - k < 16 ? K - k : 16;
    for (int g = 0; g < G; ++g) {
      const Index there = g < G - 1 ? 16 : rows;
      for (int i = 0; i < 16; ++i)
        part[i] = i < there ? f32x16::load_partial(b + (16 * g + i) * stride + k, width) : f32x16::zero();
      transpose(part);
      for (Index i = 0; i < width; ++i) add(g, k + i, part[i]);
    }
  }
#pragma GCC unroll 4
  for (int g = 0; g < G; ++g) {
    const Index first = n + 16 * g, lanes = g < G - 1 ? 16 : rows;
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      f32x16 value = sum[g][r];
      if (task.epilogue.bias) value = value + f32x16::load_partial(task.epilogue.bias + first, lanes);
      if (rest.is_relu) value = relu(value);
      float* c = task.c.row(r) + first;
      (task.epilogue.accumulate ? f32x16::load_partial(c, lanes) + value : value).store_partial(c, lanes);
    }
  }
}

template <int R>
void gemv_transposed_task(const GemmTask& task) {
  constexpr int kGroups = 2;
  const Index N = task.c.cols;
  const Rest rest(task.epilogue);
  Index n = 0;
  for (; n + 16 * kGroups <= N; n += 16 * kGroups) gemv_transposed<R, kGroups>(task, rest, n);
  for (; n < N; n += 16) gemv_transposed<R, 1>(task, rest, n);
  if (rest.has_more) finish_rows(task, 0, R);
}

template <int R>
void multiply_few(const GemmTask& task) {
  if (task.is_transposed) {
    gemv_transposed_task<R>(task);
  } else {
    multiply_gemv<R>(task);
  }
}

// A product block by block of k: pack b, then micro_panel by micro_panel of a, tile by tile.
class PackedProduct {
 public:
  explicit PackedProduct(const GemmTask& task)
      : task_(task),
        M_(task.c.rows),
        N_(task.c.cols),
        micro_panels_((M_ + kTileRows - 1) / kTileRows),
        tiles_((N_ + kTileCols - 1) / kTileCols),
        rest_(task.epilogue),
        copies_(task.a.stride % kSetDistance == 0),
        micro_panel_(task.scratch),
        packed_(micro_panel_ + 16 * kStripRow),
        kept_(packed_ + (task.a.cols < kKC ? task.a.cols : kKC) * round_up(N_, kTileLanes)) {}

  void run() {
    const Index K = task_.a.cols, blocks = K > kKC ? (K + kKC - 1) / kKC : 1;
    for (Index block = 0; block < blocks; ++block) {
      begin_ = part_begin(block, blocks, K, 16);
      end_ = part_begin(block + 1, blocks, K, 16);
      steps_ = end_ - begin_;
      is_first_ = block == 0;
      is_last_ = block + 1 == blocks;
      run_block();
    }
  }

 private:
  void run_block() {
    if (task_.is_transposed) {
      pack_columns(task_.b.data + begin_, task_.b.stride, N_, steps_, packed_);
    } else {
      pack_rows(task_.b.row(begin_), task_.b.stride, N_, steps_, packed_);
    }
    place_ = kept_;
    later_row_ = 0;
    later_rows_ = is_last_ ? 0 : (task_.is_transposed ? N_ : steps_);
    for (Index s = 0; s < micro_panels_; ++s) {
      const Index row = s * M_ / micro_panels_, rows = (s + 1) * M_ / micro_panels_ - row;
      a_ = task_.a.row(row) + begin_;
      if (copies_) {
        copy_micro_panel(a_, task_.a.stride, rows, steps_, micro_panel_);
        a_ = micro_panel_;
      }
      next_ = s + 1 < micro_panels_ ? task_.a.row(row + rows) + begin_
                                    : task_.a.row(0) + (is_last_ ? begin_ : end_);
      next_rows_ = rows;
      for (Index n = 0; n < N_; n += kTileCols, place_ += kTileFloats)
        run_tile(row, rows, tile_columns(N_, n));
      if (is_last_ && rest_.has_more) finish_rows(task_, row, rows);
    }
  }

  void run_tile(Index row, Index rows, const TileColumns& columns) {
    const Index n = columns.first;
    Tile tile{.a = a_,
              .b = packed_ + packed_place(n, steps_),
              .b_step = 16 * columns.panels,
              .steps = steps_,
              .a_row = copies_ ? kStripRow : task_.a.stride};
    tile.sums_in = is_first_ ? nullptr : place_;
    tile.lanes = columns.lanes;
    if (is_last_) {
      tile.c = task_.c.row(row) + n;
      tile.c_stride = task_.c.stride;
      tile.accumulate = task_.epilogue.accumulate;
      tile.is_relu = rest_.is_relu;
      tile.bias = task_.epilogue.bias ? task_.epilogue.bias + n : nullptr;
    } else {
      tile.sums_out = place_;
    }
    fetch(tile);
    tile_of<Strip::by_row>(rows, columns.panels)(tile);
  }

  // Each tile fetches some rows of the micro_panel that comes next, and some of the next block of b.
  void fetch(Tile& tile) {
    const Index share = (kTileRows + tiles_ - 1) / tiles_;
    tile.prefetch = next_;
    tile.prefetch_stride = task_.a.stride;
    tile.prefetch_rows = share < next_rows_ ? share : next_rows_;
    next_ += tile.prefetch_rows * task_.a.stride;
    next_rows_ -= tile.prefetch_rows;
    if (later_row_ == later_rows_) return;
    const Index later_share = (later_rows_ + micro_panels_ * tiles_ - 1) / (micro_panels_ * tiles_);
    tile.later = task_.is_transposed ? task_.b.row(later_row_) + end_
                                     : task_.b.row(end_) + later_row_ * task_.b.stride;
    tile.later_lines = later_share < later_rows_ - later_row_ ? later_share : later_rows_ - later_row_;
    tile.later_stride = task_.b.stride;
    tile.later_step = 16;
    later_row_ += tile.later_lines;
  }

  const GemmTask& task_;
  const Index M_, N_, micro_panels_, tiles_;
  const Rest rest_;
  const bool copies_;         // rows of a, which would drive each other out
  float* const micro_panel_;  // the copy
  float* const packed_;       // the block of b
  float* const kept_;         // sums between blocks, tile by tile

  Index begin_ = 0, end_ = 0, steps_ = 0;  // the block
  bool is_first_ = true, is_last_ = true;
  const float* a_ = nullptr;  // the micro_panel
  float* place_ = nullptr;    // of this tile's sums
  const float* next_ = nullptr;
  Index next_rows_ = 0, later_row_ = 0, later_rows_ = 0;
};

void multiply(const GemmTask& task) {
  if (task.c.rows == 0 || task.c.cols == 0) return;
  switch (task.c.rows <= kGemvRows ? task.c.rows : 0) {
    case 1:
      return multiply_few<1>(task);
    case 2:
      return multiply_few<2>(task);
    case 3:
      return multiply_few<3>(task);
    case 4:
      return multiply_few<4>(task);
    default:
      PackedProduct(task).run();
  }
}

}  // namespace

extern const GemmTable gemm_functions;
const GemmTable gemm_functions{multiply, weight, reduce};

}  // namespace headwater::kernels::HEADWATER_ISA
