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

// relu is done in registers; anything else on the rows, still warm.
struct Rest {
  bool is_relu, has_more;
  explicit Rest(const GemmFinish& finish)
      : is_relu(finish.activation == Activation::relu && !finish.pre),
        has_more((finish.activation != Activation::none && !is_relu) || finish.pre) {}
};
void finish_rows(const GemmTask& task, Index row, Index rows) {
  const Index N = task.c.cols;
  for (Index r = row; r < row + rows; ++r) {
    if (task.finish.pre) copy_values(N, task.c.row(r), task.finish.pre.row(r));
    activate(task.finish.activation, N, task.c.row(r), task.c.row(r));
  }
}

// G steps of R rows over all columns; the running sums lie in sums [R][cols].
template <int R, int G>
void thin_steps(const GemmTask& task, Index k, float* sums, Index cols) {
  const Index N = task.c.cols, stride = task.b.stride;
  const float* b = task.b.row(k);
  F16 factor[R][G];
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 8
    for (int g = 0; g < G; ++g) factor[r][g] = F16::broadcast(task.a.row(r)[k + g]);
  }
  const auto group = [&](Index n, auto load) __attribute__((always_inline)) {
    F16 sum[R];
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) sum[r] = F16::load(sums + r * cols + n);
#pragma GCC unroll 8
    for (int g = 0; g < G; ++g) {
      const F16 column = load(b + g * stride + n);
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) sum[r] = fma(factor[r][g], column, sum[r]);
    }
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) sum[r].store(sums + r * cols + n);
  };
  const Index whole = N / 16 * 16;
  for (Index n = 0; n < whole; n += 16) group(n, [](const float* p) { return F16::load(p); });
  if (whole < N) group(whole, [&](const float* p) { return F16::load_partial(p, N - whole); });
}

template <int R>
void multiply_thin(const GemmTask& task) {
  constexpr int kSteps = R <= 2 ? 8 : 4;
  const Index N = task.c.cols, K = task.a.cols, cols = round_up(N, 16);
  const Rest rest(task.finish);
  float* sums = task.scratch;
  for (Index i = 0; i < R * cols; i += 16) F16::zero().store(sums + i);
  Index k = 0;
  for (; k + kSteps <= K; k += kSteps) thin_steps<R, kSteps>(task, k, sums, cols);
  for (; k < K; ++k) thin_steps<R, 1>(task, k, sums, cols);
  for (Index r = 0; r < R; ++r) {
    for (Index n = 0; n < N; n += 16) {
      const Index lanes = N - n < 16 ? N - n : 16;
      F16 sum = F16::load(sums + r * cols + n);
      if (task.finish.bias) sum = sum + F16::load_partial(task.finish.bias + n, lanes);
      if (rest.is_relu) sum = relu(sum);
      float* c = task.c.row(r) + n;
      (task.finish.accumulate ? F16::load_partial(c, lanes) + sum : sum).store_partial(c, lanes);
    }
  }
  if (rest.has_more) finish_rows(task, 0, R);
}

void multiply(const GemmTask& task) {
  const Index M = task.c.rows, N = task.c.cols, K = task.a.cols;
  const Index k_blocks = K > kDepth ? (K + kDepth - 1) / kDepth : 1;
  const Index strips = (M + kTileRows - 1) / kTileRows, tiles = (N + kTileCols - 1) / kTileCols;
  if (M == 0 || N == 0) return;
  if (!task.is_transposed && M <= kThinRows) {
    switch (M) {
      case 1:
        return multiply_thin<1>(task);
      case 2:
        return multiply_thin<2>(task);
      case 3:
        return multiply_thin<3>(task);
      default:
        return multiply_thin<4>(task);
    }
  }
  const Rest rest(task.finish);
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
    // The tiles fetch the next block of b, some of its rows each.
    const Index calls = strips * tiles,
                far_rows = is_last              ? 0
                           : task.is_transposed ? N
                                                : steps,
                far_share = (far_rows + calls - 1) / calls;
    Index far_row = 0;
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
          tile.is_relu = rest.is_relu;
          tile.bias = task.finish.bias ? task.finish.bias + n : nullptr;
        } else {
          tile.kept = place;
        }
        tile.ahead = next + ahead * task.a.stride;
        tile.ahead_stride = task.a.stride;
        tile.ahead_rows = ahead + ahead_rows < rows ? ahead_rows : rows - ahead;
        ahead += tile.ahead_rows;
        if (far_row < far_rows) {
          tile.far =
              task.is_transposed ? task.b.row(far_row) + end : task.b.row(end) + far_row * task.b.stride;
          tile.far_lines = far_share < far_rows - far_row ? far_share : far_rows - far_row;
          tile.far_stride = task.b.stride;
          tile.far_step = 16;
          far_row += tile.far_lines;
        }
        tile_of<Strip::by_row>(rows, columns.panels)(tile);
      }
      if (is_last && rest.has_more) finish_rows(task, row, rows);
    }
  }
}

}  // namespace

extern const GemmTable gemm_functions;
const GemmTable gemm_functions{multiply, weight, fold, activate, activation_backward};

}  // namespace headwater::kernels::HEADWATER_ISA
