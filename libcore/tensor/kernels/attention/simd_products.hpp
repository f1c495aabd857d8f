// Small products inside attention: a block of rows times packed columns, vectorised along the output. An
// element is one ascending fma chain; each row may have its own range of steps (causality), and what lies
// outside is skipped.
#pragma once

#include "tensor/matrix.hpp"
#include "tensor/simd.hpp"

namespace headwater::kernels::HEADWATER_ISA {

inline constexpr Index kUnbounded = Index{1} << 60;
inline constexpr Index kFactorSteps = 64;  // between two factors of a row

// Rows of memory that are brought into L2 line by line while products are computed.
class Prefetch {
 public:
  using Rows = MatrixOf<const float>;
  // The products that follow take so many multiplications.
  template <int N>
  Prefetch(const Rows (&rows)[N], Index products) : next_(rows), end_(rows + N) {
    Index lines = 0;
    for (const Rows& part : rows) lines += part.rows * ((part.cols + 15) / 16);
    interval_ = lines > 0 ? products / lines : 0;
  }
  // After so many multiplications.
  void fetch(Index products) {
    for (credit_ += products; credit_ > interval_ && next_ != end_; credit_ -= interval_) {
      if (row_ < next_->rows) __builtin_prefetch(next_->row(row_) + column_, 0, 2);
      column_ += 16;
      if (column_ < next_->cols) continue;
      column_ = 0;
      if (++row_ < next_->rows) continue;
      row_ = 0;
      ++next_;
    }
  }

 private:
  const Rows* next_;
  const Rows* end_;
  Index row_ = 0, column_ = 0, credit_ = 0, interval_ = 0;
};

// c[r][lane] (+)= Σ_n a[r·a_row + n·a_step] · b[n·b_step + (lane / 16)·b_panel + lane % 16]. b is padded to
// whole panels.
struct Product {
  const float* a;
  Index a_row, a_step;
  const float* b;
  Index b_step, b_panel;
  float* c;
  Index c_row, width;
  // Row r of c is multiplied by factor[t·factor_tile + r] before step 64·t, for every t from 1 on, and for t
  // = 0 if the chains do not start from 0.
  const float* factor = nullptr;
  Index factor_tile = 0;
  const float* divisor = nullptr;  // then row r of c is divided by divisor[r]
  bool streams = false;            // c is written past the caches
  Prefetch* prefetch = nullptr;    // is fetched meanwhile
};

// Row r takes the steps n in [first + r, last + r) of those there are.
struct Steps {
  Index first = -kUnbounded, last = kUnbounded;
};

// What the chains start from.
enum class Start { zero, what_is_there };

// R rows by P panels from (row, lane); row r takes the steps [range.first + r, range.last + r) of [0, steps).
// Steps that only some of the rows take lie in a triangle before or after those that all take; where both
// sides are bounded there is a step that all take. kRescales: with factors of c.
template <int R, int P, bool kRescales>
void multiply_tile(const Product& g, Index row, Index lane, Index steps, const Steps& range, Start start) {
  f32x16 sum[R][P];
  float* c = g.c + row * g.c_row + lane;
  const Index last = g.width - lane - 16 * (P - 1);  // lanes in the last panel; 16 or more: all
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
    for (int p = 0; p < P; ++p) {
      if (start == Start::zero) {
        sum[r][p] = f32x16::zero();
      } else {
        const float* from = c + r * g.c_row + 16 * p;
        sum[r][p] = p < P - 1 || last >= 16 ? f32x16::load(from) : f32x16::load_partial(from, last);
      }
    }
  }
  const auto rescale = [&](Index t) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const f32x16 factor = f32x16::broadcast(g.factor[t * g.factor_tile + row + r]);
#pragma GCC unroll 4
      for (int p = 0; p < P; ++p) sum[r][p] = sum[r][p] * factor;
    }
  };
  if (kRescales && start == Start::what_is_there) rescale(0);
  const float* const a0 = g.a + row * g.a_row;
  const float* const b0 = g.b + lane / 16 * g.b_panel;
  const auto load_columns = [&](Index n, f32x16(&columns)[P]) {
#pragma GCC unroll 4
    for (int p = 0; p < P; ++p) columns[p] = f32x16::load(b0 + n * g.b_step + p * g.b_panel);
  };
  const auto clamp = [steps](Index n) { return n < 0 ? 0 : (n < steps ? n : steps); };
  if (range.first + R > 1) {
#pragma GCC unroll 16
    for (int s = 0; s < R - 1; ++s) {  // step range.first + s: rows 0..s
      const Index n = range.first + s;
      if (n < 0 || n >= steps) continue;
      if (kRescales && n > 0 && n % kFactorSteps == 0) rescale(n / kFactorSteps);
      f32x16 columns[P];
      load_columns(n, columns);
#pragma GCC unroll 16
      for (int r = 0; r <= s; ++r) {
        const f32x16 factor = f32x16::broadcast(a0[r * g.a_row + n * g.a_step]);
#pragma GCC unroll 4
        for (int p = 0; p < P; ++p) sum[r][p] = fma(factor, columns[p], sum[r][p]);
      }
    }
  }
  const Index begin = clamp(range.first + R - 1), end = clamp(range.last);
  if (kRescales && begin > 0 && begin < end && begin % kFactorSteps == 0) rescale(begin / kFactorSteps);
  const float* a = a0 + begin * g.a_step;
  const float* b = b0 + begin * g.b_step;
  for (Index n = begin; n < end;) {
    const Index stop = kRescales && n / kFactorSteps * kFactorSteps + kFactorSteps < end
                           ? n / kFactorSteps * kFactorSteps + kFactorSteps
                           : end;
    for (; n < stop; ++n, a += g.a_step, b += g.b_step) {
      f32x16 columns[P];
#pragma GCC unroll 4
      for (int p = 0; p < P; ++p) columns[p] = f32x16::load(b + p * g.b_panel);
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r) {
        const f32x16 factor = f32x16::broadcast(a[r * g.a_row]);
#pragma GCC unroll 4
        for (int p = 0; p < P; ++p) sum[r][p] = fma(factor, columns[p], sum[r][p]);
      }
    }
    if (kRescales && n < end) rescale(n / kFactorSteps);
  }
  if (range.last < steps) {
#pragma GCC unroll 16
    for (int s = 0; s < R - 1; ++s) {  // step range.last + s: rows s + 1 and later
      const Index n = range.last + s;
      if (n < 0 || n >= steps) continue;
      if (kRescales && n > 0 && n % kFactorSteps == 0) rescale(n / kFactorSteps);
      f32x16 columns[P];
      load_columns(n, columns);
#pragma GCC unroll 16
      for (int r = s + 1; r < R; ++r) {
        const f32x16 factor = f32x16::broadcast(a0[r * g.a_row + n * g.a_step]);
#pragma GCC unroll 4
        for (int p = 0; p < P; ++p) sum[r][p] = fma(factor, columns[p], sum[r][p]);
      }
    }
  }
  if (kRescales && g.divisor) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const f32x16 divisor = f32x16::broadcast(g.divisor[row + r]);
#pragma GCC unroll 4
      for (int p = 0; p < P; ++p) sum[r][p] = sum[r][p] / divisor;
    }
  }
  if (g.streams) {
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
      for (int p = 0; p < P; ++p) sum[r][p].stream(c + r * g.c_row + 16 * p);
    }
    return;
  }
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
    for (int p = 0; p < P; ++p) {
      float* to = c + r * g.c_row + 16 * p;
      if (p < P - 1 || last >= 16) {
        sum[r][p].store(to);
      } else {
        sum[r][p].store_partial(to, last);
      }
    }
  }
}

using TileFunction = void (*)(const Product&, Index row, Index lane, Index steps, const Steps& range,
                              Start start);

// Tiles that fit the registers: 32 of 16 lanes with AVX-512, otherwise 16 of 8.
#ifdef HEADWATER_ISA_avx512
inline constexpr int kMaxPanels = 4;
constexpr int max_rows(int panels) { return panels == 4 ? 6 : panels == 3 ? 8 : 12; }
#else
inline constexpr int kMaxPanels = 1;
constexpr int max_rows(int) { return 6; }
#endif

template <int P, bool kRescales, int R = 1>
TileFunction tile_of(Index rows) {
  if constexpr (R < max_rows(P)) {
    if (rows > R) return tile_of<P, kRescales, R + 1>(rows);
  }
  return multiply_tile<R, P, kRescales>;
}

// All rows of P panels.
template <int P>
void multiply_panels(const Product& g, Index rows, Index steps, Index lane, const Steps& range, Start start) {
  const Index taken = range.last - range.first, most = taken < max_rows(P) ? taken : max_rows(P);
  const Index blocks = (rows + most - 1) / most;
  for (Index block = 0, row = 0; block < blocks; ++block) {
    const Index count = (rows - row + blocks - block - 1) / (blocks - block);
    const TileFunction tile = g.factor ? tile_of<P, true>(count) : tile_of<P, false>(count);
    if (g.prefetch) g.prefetch->fetch(count * P * 16 * steps);
    tile(g, row, lane, steps, {range.first + row, range.last + row}, start);
    row += count;
  }
}

// All of c. Where both sides of `range` are bounded each row takes at least one step.
inline void multiply(const Product& g, Index rows, Index steps, const Steps& range, Start start) {
  const Index panels = (g.width + 15) / 16, groups = (panels + kMaxPanels - 1) / kMaxPanels;
  for (Index group = 0, panel = 0; group < groups; ++group) {
    const Index count = (panels - panel + groups - group - 1) / (groups - group);
    switch (kMaxPanels == 1 ? 1 : count) {
      case 1:
        multiply_panels<1>(g, rows, steps, 16 * panel, range, start);
        break;
#ifdef HEADWATER_ISA_avx512
      case 2:
        multiply_panels<2>(g, rows, steps, 16 * panel, range, start);
        break;
      case 3:
        multiply_panels<3>(g, rows, steps, 16 * panel, range, start);
        break;
      default:
        multiply_panels<4>(g, rows, steps, 16 * panel, range, start);
        break;
#endif
    }
    panel += count;
  }
}

// Rows as the right factor of a product: whole panels, 16 lanes each.
struct PackedRows {
  const float* data;
  Index stride;
  PackedRows from(Index row) const { return {data + row * stride, stride}; }
};

// Copies the rows, padded with zeros, unless so few uses (rows of the product) would not pay for it.
inline PackedRows pack_rows(MatrixOf<const float> x, float* to, Index uses) {
  if (uses < 4 && x.cols % 16 == 0) return {x.data, x.stride};
  const Index width = (x.cols + 15) / 16 * 16, whole = x.cols / 16 * 16;
  for (Index r = 0; r < x.rows; ++r) {
    const float* from = x.row(r);
    for (Index c = 0; c < whole; c += 16) f32x16::load(from + c).store(to + r * width + c);
    if (whole < width) f32x16::load_partial(from + whole, x.cols - whole).store(to + r * width + whole);
  }
  return {to, width};
}

// to[panel][c][lane] = x[16·panel + lane][c], missing rows 0.
inline void pack_transposed(MatrixOf<const float> x, float* to) {
  for (Index first = 0; first < x.rows; first += 16, to += 16 * x.cols) {
    const Index rows = x.rows - first < 16 ? x.rows - first : 16;
    transpose_panel(x.row(first), x.stride, rows, x.cols, to);
  }
}

}  // namespace headwater::kernels::HEADWATER_ISA
