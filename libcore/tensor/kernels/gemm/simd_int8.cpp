// a·b of bytes, b in panels of 16 columns: the tiles of simd_packed.cpp with a quarter of the steps.
#include "tensor/simd_int8.hpp"
#include "tensor/kernels/activation/simd_activation.hpp"
#include "tensor/kernels/gemm/int8_table.hpp"
#include "tensor/kernels/gemm/simd_panel_tile.hpp"

namespace headwater::kernels::HEADWATER_ISA {

namespace {

// Tiles that fit the registers: 32 of 16 sums with AVX-512, otherwise 16 of 8.
#ifdef HEADWATER_ISA_avx512
constexpr int kWidestPanels = 8;  // a single row: more panels, so that the chains overlap
constexpr int kPanels = 4, kRows = 6;
#else
constexpr int kWidestPanels = 2;
constexpr int kPanels = 2, kRows = 2;
#endif

struct Int8Tile {
  const std::uint8_t* a;
  const float* factors;
  const std::int8_t* b;  // the first panel
  const float* scales;
  const std::int32_t* starts;
  Index K;
  const std::int8_t* prefetch;  // panels that come next: so many lines of them are fetched every step
  Index prefetch_lines;
  TileResult result;
};

template <int R, int P>
void multiply_tile(const Int8Tile& tile) {
  i32x16 sum[R][P];
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 8
    for (int p = 0; p < P; ++p) sum[r][p] = load_whole(tile.starts + 16 * p);
  }
  const Index steps = int8_steps(tile.K), a_stride = int8_row_bytes(tile.K);
  const std::uint8_t* a = tile.a;
  const std::int8_t *b = tile.b, *prefetch = tile.prefetch;
  for (Index k = 0; k < steps; ++k, a += 4, b += 64) {
    if constexpr (R > 1) {
      for (Index line = 0; line < tile.prefetch_lines; ++line, prefetch += 64)
        __builtin_prefetch(prefetch, 0, 3);
    }
    i32x16 column[P];
#pragma GCC unroll 8
    for (int p = 0; p < P; ++p) column[p] = load_whole(b + p * 64 * steps);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      int four;
      __builtin_memcpy(&four, a + r * a_stride, sizeof(four));
      const i32x16 factor = i32x16::broadcast(four);
#pragma GCC unroll 8
      for (int p = 0; p < P; ++p) sum[r][p] = add_products(sum[r][p], factor, column[p]);
    }
  }
  store_tile<R, P>(
      tile.result, [&](int r, int p, f32x16 bias) __attribute__((always_inline)) {
        const f32x16 of_column = to_float(sum[r][p]) * f32x16::load(tile.scales + 16 * p);
        return fma(of_column, f32x16::broadcast(tile.factors[r]), bias);
      });
}

void multiply(const Int8Task& task) {
  const Index M = task.c.rows, N = task.c.cols, steps = int8_steps(task.K);
  if (M == 0 || N == 0) return;
  const Index most = M == 1 ? kWidestPanels : kPanels, panels = (N + 15) / 16,
              micro_panels = (M + kRows - 1) / kRows;
  const bool is_relu = task.activation == Activation::relu;
  for (Index first = 0; first < panels; first += most) {
    const Index count = panels - first < most ? panels - first : most;
    const Index left = panels - first - count, next = left < most ? left : most;
    Int8Tile tile{.a = task.a,
                  .factors = task.factors,
                  .b = task.weight.bytes + first * 64 * steps,
                  .scales = task.weight.scales + 16 * first,
                  .starts = task.weight.starts + 16 * first,
                  .K = task.K,
                  .prefetch = task.weight.bytes + (first + count) * 64 * steps,
                  .prefetch_lines = (next + micro_panels - 1) / micro_panels,
                  .result = {.c = task.c.data + 16 * first,
                             .stride = task.c.stride,
                             .lanes = left > 0 ? 16 : N - 16 * (panels - 1),
                             .bias = task.bias ? task.bias + 16 * first : nullptr,
                             .is_relu = is_relu}};
    if (M == 1) {
      with_constant<kWidestPanels>(count, [&]<int P>() { multiply_tile<1, P>(tile); });
      continue;
    }
    for_each_part<kRows>(M, [&]<int R>(Index row) {
      tile.a = task.a + row * int8_row_bytes(task.K);
      tile.factors = task.factors + row;
      tile.result.c = task.c.row(row) + 16 * first;
      with_constant<kPanels>(count, [&]<int P>() { multiply_tile<R, P>(tile); });
      tile.prefetch += steps * tile.prefetch_lines * 64;
    });
  }
  if (is_relu || task.activation == Activation::none) return;
  for (Index r = 0; r < M; ++r) activate(task.activation, N, task.c.row(r), task.c.row(r), nullptr);
}

float quantize(const float* x, Index K, std::uint8_t* bytes) {
  const auto part = [&](Index k) {
    return k + 16 <= K ? f32x16::load(x + k) : f32x16::load_partial(x + k, K - k);
  };
  f32x16 most = f32x16::zero(), odd = f32x16::zero();  // odd: not a number where an input is not finite
  for (Index k = 0; k < K; k += 16) {
    const f32x16 value = part(k);
    most = max(most, abs(value));
    odd = fma(value, f32x16::zero(), odd);
  }
  const float largest = reduce_max(most), nothing = reduce_add(odd);
  const bool is_zero = !(largest >= 0x1p-100f) || nothing != 0;
  const f32x16 inverse = f32x16::broadcast(is_zero ? 0 : 127 / largest);
  const f32x16 zero_point = f32x16::broadcast(kNearestWhole + kInt8ZeroPoint);
  for (Index k = 0; k < K; k += 16)
    store_bytes(bits_of(fma(is_zero ? f32x16::zero() : part(k), inverse, zero_point)), bytes + k);
  return is_zero ? nothing : largest / 127;
}

}  // namespace

extern const Int8Table int8_functions;
const Int8Table int8_functions{quantize, multiply};

}  // namespace headwater::kernels::HEADWATER_ISA
