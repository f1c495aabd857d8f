// Fourier mixing of a sequence: transforms of 16 complex columns at a time, one in each lane.
//
// A transform is Stockham's autosort form with factors 2, 3, 4, 5, 7, 11 and 13 (decimation in frequency), or
// Bluestein's: X[k] = w[k] Σ_j x[j]·w[j]·conj(w[k - j]) with w[j] = e^(-πi j²/n), a cyclic convolution of a
// fast length (Bluestein 1970).
#include "tensor/kernels/fourier/fourier_table.hpp"
#include "tensor/simd.hpp"

namespace headwater::kernels::HEADWATER_ISA {

namespace {

// Sixteen complex numbers; in a buffer element j stands at 32·j, its 16 real parts first.
struct C16 {
  f32x16 re, im;
};
HEADWATER_INLINE C16 load(const float* buffer, Index j) {
  return {f32x16::load(buffer + 32 * j), f32x16::load(buffer + 32 * j + 16)};
}
HEADWATER_INLINE void store(C16 z, float* buffer, Index j) {
  z.re.store(buffer + 32 * j);
  z.im.store(buffer + 32 * j + 16);
}
HEADWATER_INLINE C16 operator+(C16 a, C16 b) { return {a.re + b.re, a.im + b.im}; }
HEADWATER_INLINE C16 operator-(C16 a, C16 b) { return {a.re - b.re, a.im - b.im}; }
// a + i·b and a - i·b
HEADWATER_INLINE C16 plus_i(C16 a, C16 b) { return {a.re - b.im, a.im + b.re}; }
HEADWATER_INLINE C16 minus_i(C16 a, C16 b) { return {a.re + b.im, a.im - b.re}; }
HEADWATER_INLINE C16 times(C16 a, const float* root) {
  const f32x16 x = f32x16::broadcast(root[0]), y = f32x16::broadcast(root[1]),
               minus_y = f32x16::broadcast(-root[1]);
  return {fma(a.im, minus_y, a.re * x), fma(a.im, x, a.re * y)};
}

// b[k] = Σ_i a[i]·e^(-2πi ik/P). Odd P: pairs i and P - i share their products; `unit` [P] are the roots.
template <int P>
HEADWATER_INLINE void butterfly(const C16 (&a)[P], const C16 (&unit)[P], C16 (&b)[P]) {
  if constexpr (P == 2) {
    b[0] = a[0] + a[1];
    b[1] = a[0] - a[1];
  } else if constexpr (P == 4) {
    const C16 even = a[0] + a[2], even_difference = a[0] - a[2];
    const C16 odd = a[1] + a[3], odd_difference = a[1] - a[3];
    b[0] = even + odd;
    b[1] = minus_i(even_difference, odd_difference);
    b[2] = even - odd;
    b[3] = plus_i(even_difference, odd_difference);
  } else {
    constexpr int kPairs = (P - 1) / 2;
    C16 sum[kPairs], difference[kPairs];
    b[0] = a[0];
    for (int i = 0; i < kPairs; ++i) {
      sum[i] = a[i + 1] + a[P - 1 - i];
      difference[i] = a[i + 1] - a[P - 1 - i];
      b[0] = b[0] + sum[i];
    }
    for (int k = 1; k <= kPairs; ++k) {
      C16 cosines = a[0], sines{f32x16::zero(), f32x16::zero()};
      for (int i = 0; i < kPairs; ++i) {
        const C16 root = unit[(i + 1) * k % P];  // (cosine, -sine)
        cosines = {fma(root.re, sum[i].re, cosines.re), fma(root.re, sum[i].im, cosines.im)};
        sines = {fma(root.im, difference[i].re, sines.re), fma(root.im, difference[i].im, sines.im)};
      }
      b[k] = plus_i(cosines, sines);
      b[P - k] = minus_i(cosines, sines);
    }
  }
}

// One pass over `count` elements that are `stride` interleaved sequences: element r + stride·(q + m·i) takes
// part i of the butterfly q; its result k, turned by e^(-2πi qk/(m·P)), goes to r + stride·(P·q + k).
template <int P>
void pass(const FourierPlan& plan, Index stride, const float* from, float* to) {
  const Index m = plan.inner_length / stride / P;
  C16 unit[P];
  for (int k = 0; k < P; ++k) {
    const float* root = plan.roots + 2 * k * (plan.inner_length / P);
    unit[k] = {f32x16::broadcast(root[0]), f32x16::broadcast(root[1])};
  }
  for (Index q = 0; q < m; ++q) {
    for (Index r = 0; r < stride; ++r) {
      C16 a[P], b[P];
      for (int i = 0; i < P; ++i) a[i] = load(from, r + stride * (q + m * i));
      butterfly<P>(a, unit, b);
      store(b[0], to, r + stride * P * q);
      for (int k = 1; k < P; ++k) {
        store(q == 0 ? b[k] : times(b[k], plan.roots + 2 * q * k * stride), to, r + stride * (P * q + k));
      }
    }
  }
}

// A transform of the inner length; the result is in the buffer that is returned.
float* transform_inner(const FourierPlan& plan, float* from, float* to) {
  Index stride = 1;
  for (int f = 0; f < plan.factor_count; ++f) {
    switch (plan.factors[f]) {
      case 2:
        pass<2>(plan, stride, from, to);
        break;
      case 3:
        pass<3>(plan, stride, from, to);
        break;
      case 4:
        pass<4>(plan, stride, from, to);
        break;
      case 5:
        pass<5>(plan, stride, from, to);
        break;
      case 7:
        pass<7>(plan, stride, from, to);
        break;
      case 11:
        pass<11>(plan, stride, from, to);
        break;
      default:
        pass<13>(plan, stride, from, to);
        break;
    }
    stride *= plan.factors[f];
    float* const other = from;
    from = to;
    to = other;
  }
  return from;
}

void clear(float* buffer, Index begin, Index end) {
  for (Index j = begin; j < end; ++j) store({f32x16::zero(), f32x16::zero()}, buffer, j);
}

// Transforms the plan's length in place or in the other buffer; returns where the result is.
float* transform(const FourierPlan& plan, float* from, float* to) {
  if (plan.chirp == nullptr) return transform_inner(plan, from, to);
  const Index n = plan.length, m = plan.inner_length;
  for (Index j = 0; j < n; ++j) store(times(load(from, j), plan.chirp + 2 * j), from, j);
  clear(from, n, m);
  float* const spectrum = transform_inner(plan, from, to);
  // Back by the same transform, real and imaginary parts exchanged on both sides.
  for (Index j = 0; j < m; ++j) {
    const C16 z = times(load(spectrum, j), plan.filter + 2 * j);
    store({z.im, z.re}, spectrum, j);
  }
  float* const result = transform_inner(plan, spectrum, spectrum == from ? to : from);
  for (Index k = 0; k < n; ++k) {
    const C16 z = load(result, k);
    store(times({z.im, z.re}, plan.chirp + 2 * k), result, k);
  }
  return result;
}

void prepare(const FourierPlan& plan, float* filter, float* scratch) {
  if (plan.chirp == nullptr) return;
  const Index n = plan.length, m = plan.inner_length;
  clear(scratch, 0, m);
  for (Index j = 0; j < n; ++j) {
    const C16 conjugate{f32x16::broadcast(plan.chirp[2 * j]), f32x16::broadcast(-plan.chirp[2 * j + 1])};
    store(conjugate, scratch, j);
    if (j > 0) store(conjugate, scratch, m - j);
  }
  const float* const spectrum = transform_inner(plan, scratch, scratch + 32 * m);
  for (Index j = 0; j < m; ++j) {
    filter[2 * j] = spectrum[32 * j] / static_cast<float>(m);
    filter[2 * j + 1] = spectrum[32 * j + 16] / static_cast<float>(m);
  }
}

// Columns [c, c + 32) transformed over the tokens: the first 16 as real, the others as imaginary part of one
// transform, taken apart by the symmetry of real input. Rows 0 to n/2 go to re and im [n/2 + 1, stride].
void over_tokens(const FourierTask& task, Index c, Index stride, float* re, float* im) {
  const FourierPlan& plan = *task.over_tokens;
  const Index n = plan.length, D = task.x.cols;
  float* const buffer = task.scratch;
  const Index first = D - c < 16 ? D - c : 16;
  const Index second = D - c - 16 < 0 ? 0 : (D - c - 16 < 16 ? D - c - 16 : 16);
  for (Index t = 0; t < n; ++t) {
    const float* x = task.x.row(t) + c;
    store(
        {f32x16::load_partial(x, first), second > 0 ? f32x16::load_partial(x + 16, second) : f32x16::zero()},
        buffer, t);
  }
  const float* const z = transform(plan, buffer, buffer + 32 * plan.inner_length);
  const f32x16 half = f32x16::broadcast(0.5f);
  for (Index k = 0; k <= n / 2; ++k) {
    const C16 a = load(z, k), b = load(z, k == 0 ? 0 : n - k);
    (half * (a.re + b.re)).store(re + k * stride + c);
    (half * (a.im - b.im)).store(im + k * stride + c);
    if (second == 0) continue;
    (half * (a.im + b.im)).store(re + k * stride + c + 16);
    (half * (b.re - a.re)).store(im + k * stride + c + 16);
  }
}

// The real parts of 16 columns of z, given by number, as rows of y from column c on.
template <class Column, class Row>
HEADWATER_INLINE void write_rows(const float* z, Index c, Index D, Index rows, const Column& column,
                                 const Row& row, bool accumulate) {
  const Index lanes = D - c < 16 ? D - c : 16;
  f32x16 part[16];
#pragma GCC unroll 16
  for (Index j = 0; j < 16; ++j) part[j] = f32x16::load(z + 32 * (j < lanes ? column(c + j) : 0));
  transpose(part);
  float staged[16 * 16];
#pragma GCC unroll 16
  for (Index i = 0; i < 16; ++i) part[i].store(staged + 16 * i);
  for (Index i = 0; i < rows; ++i) {
    float* const y = row(i);
    if (y == nullptr) continue;
    const f32x16 value = f32x16::load(staged + 16 * i);
    (accumulate ? f32x16::load_partial(y + c, lanes) + value : value).store_partial(y + c, lanes);
  }
}

// Rows [k, k + 16) of the first transform, transformed over the width. Row n - k is row k with its columns
// reversed, because x is real.
void over_width(const FourierTask& task, Index k, Index stride, const float* re, const float* im) {
  const FourierPlan& plan = *task.over_width;
  const Index n = task.x.rows, D = task.x.cols;
  float* const buffer = task.scratch;
  const Index rows = n / 2 + 1 - k < 16 ? n / 2 + 1 - k : 16;
  transpose_panel(re + k * stride, stride, rows, D, buffer, 32);
  transpose_panel(im + k * stride, stride, rows, D, buffer + 16, 32);
  const float* const z = transform(plan, buffer, buffer + 32 * plan.inner_length);
  for (Index c = 0; c < D; c += 16) {
    write_rows(
        z, c, D, rows, [](Index l) { return l; }, [&](Index i) { return task.y.row(k + i); },
        task.accumulate);
    write_rows(
        z, c, D, rows, [&](Index l) { return l == 0 ? 0 : D - l; },
        [&](Index i) {
          const Index mirrored = n - k - i;
          return mirrored == n || mirrored == k + i ? nullptr : task.y.row(mirrored);
        },
        task.accumulate);
  }
}

void mix(const FourierTask& task) {
  const Index n = task.x.rows, D = task.x.cols, stride = (D + 15) / 16 * 16;
  const Index longest = task.over_tokens->inner_length > task.over_width->inner_length
                            ? task.over_tokens->inner_length
                            : task.over_width->inner_length;
  float* const re = task.scratch + fourier_buffer_size(longest);
  float* const im = re + (n / 2 + 1) * stride;
  for (Index c = 0; c < D; c += 32) over_tokens(task, c, stride, re, im);
  for (Index k = 0; k <= n / 2; k += 16) over_width(task, k, stride, re, im);
}

}  // namespace

extern const FourierTable fourier_functions;
const FourierTable fourier_functions{prepare, mix};

}  // namespace headwater::kernels::HEADWATER_ISA
