// a·b with b in panels of 16 columns that were packed beforehand: few rows, whose sums stay in registers over
// all steps, so that b streams from memory once and nothing else does.
#include "tensor/kernels/activation/simd_activation.hpp"
#include "tensor/kernels/gemm/gemm_table.hpp"
#include "tensor/kernels/gemm/simd_panel_tile.hpp"

namespace headwater::kernels::HEADWATER_ISA {

namespace {

// Tiles that fit the registers: 32 of 16 lanes with AVX-512, otherwise 16 of 8.
#ifdef HEADWATER_ISA_avx512
constexpr int kWidestPanels = 8;               // a single row: more panels, so that the chains overlap
constexpr int kWidePanels = 4, kWideRows = 4;  // few rows
// More rows would fit, but those that lie a multiple of 2 KiB apart share few sets of the first cache.
constexpr int kPanels = 2, kRows = 8;
#else
constexpr int kWidestPanels = 4;
constexpr int kWidePanels = 2, kWideRows = 2;
constexpr int kPanels = 1, kRows = 6;
#endif

struct PanelTile {
  const float* a;
  Index a_stride;
  const float* b;  // the first panel
  Index steps;
  const float* prefetch;  // panels that come next: so many lines of them are fetched every 8 steps
  Index prefetch_lines;
  TileResult result;
};

template <int R, int P>
void multiply_tile(const PanelTile& tile) {
  f32x16 sum[R][P];
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 8
    for (int p = 0; p < P; ++p) sum[r][p] = f32x16::zero();
  }
  const float* a = tile.a;
  const float* b = tile.b;
  const Index a_stride = tile.a_stride, panel = 16 * tile.steps;
  const auto step = [&]() __attribute__((always_inline)) {
    f32x16 column[P];
#pragma GCC unroll 8
    for (int p = 0; p < P; ++p) column[p] = f32x16::load(b + p * panel);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const f32x16 factor = f32x16::broadcast(a[r * a_stride]);
#pragma GCC unroll 8
      for (int p = 0; p < P; ++p) sum[r][p] = fma(factor, column[p], sum[r][p]);
    }
    ++a;
    b += 16;
  };
  const float* prefetch = tile.prefetch;
  Index k = 0;
  for (; k + 8 <= tile.steps; k += 8) {
    for (Index line = 0; line < tile.prefetch_lines; ++line, prefetch += 16)
      __builtin_prefetch(prefetch, 0, 3);
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) step();
  }
  for (; k < tile.steps; ++k) step();
  store_tile<R, P>(
      tile.result, [&](int r, int p, f32x16 bias) __attribute__((always_inline)) {
        return tile.result.bias ? sum[r][p] + bias : sum[r][p];
      });
}

using TileFunction = void (*)(const PanelTile&);

// The tile of `rows` <= Most rows, and of `panels` <= Most panels.
template <int P, int Most, int R = 1>
TileFunction tile_of_rows(Index rows) {
  if constexpr (R < Most) {
    if (rows > R) return tile_of_rows<P, Most, R + 1>(rows);
  }
  return multiply_tile<R, P>;
}
template <int MostRows, int MostPanels, int P = 1>
TileFunction tile_of(Index rows, Index panels) {
  if constexpr (P < MostPanels) {
    if (panels > P) return tile_of<MostRows, MostPanels, P + 1>(rows, panels);
  }
  return tile_of_rows<P, MostRows>(rows);
}

// Tiles for a product of M rows.
struct TileShape {
  Index rows, panels;
  TileFunction (*tile)(Index rows, Index panels);
};
TileShape tile_shape(Index M) {
  if (M == 1) return {1, kWidestPanels, tile_of<1, kWidestPanels>};
  if (M <= kWideRows) return {M, kWidePanels, tile_of<kWideRows, kWidePanels>};
  return {kRows, kPanels, tile_of<kRows, kPanels>};
}

void multiply(const PackedTask& task) {
  const Index M = task.c.rows, N = task.c.cols, K = task.a.cols;
  if (M == 0 || N == 0) return;
  const TileShape shape = tile_shape(M);
  const Index micro_panels = (M + shape.rows - 1) / shape.rows, panels = (N + 15) / 16;
  // A product of few rows is all reading: the processor fetches ahead by itself, and better.
  const bool is_gemv = M <= kWideRows, is_relu = task.activation == Activation::relu;
  for (Index first = 0; first < panels; first += shape.panels) {
    const Index count = panels - first < shape.panels ? panels - first : shape.panels;
    const Index left = panels - first - count, next = left < shape.panels ? left : shape.panels;
    PanelTile tile{.a = nullptr,
                   .a_stride = task.a.stride,
                   .b = task.panels + first * 16 * K,
                   .steps = K,
                   .prefetch = task.panels + (first + count) * 16 * K,
                   .prefetch_lines = is_gemv ? 0 : (8 * next + micro_panels - 1) / micro_panels,
                   .result = {.c = nullptr,
                              .stride = task.c.stride,
                              .lanes = left > 0 ? 16 : N - 16 * (panels - 1),
                              .bias = task.bias ? task.bias + 16 * first : nullptr,
                              .is_relu = is_relu}};
    for (Index micro_panel = 0; micro_panel < micro_panels; ++micro_panel) {
      const Index row = micro_panel * M / micro_panels, rows = (micro_panel + 1) * M / micro_panels - row;
      tile.a = task.a.row(row);
      tile.result.c = task.c.row(row) + 16 * first;
      shape.tile(rows, count)(tile);
      tile.prefetch += K / 8 * tile.prefetch_lines * 16;
    }
  }
  if (is_relu || task.activation == Activation::none) return;
  for (Index r = 0; r < M; ++r) activate(task.activation, N, task.c.row(r), task.c.row(r), nullptr);
}

void pack(MatrixOf<const float> w, Index first_panel, Index last_panel, float* to) {
  for (Index panel = first_panel; panel < last_panel; ++panel) {
    const Index column = 16 * panel, lanes = w.cols - column < 16 ? w.cols - column : 16;
    float* place = to + column * w.rows;
    for (Index k = 0; k < w.rows; ++k, place += 16)
      f32x16::load_partial(w.row(k) + column, lanes).store(place);
  }
}

}  // namespace

extern const PackedTable packed_functions;
const PackedTable packed_functions{multiply, pack};

}  // namespace headwater::kernels::HEADWATER_ISA
