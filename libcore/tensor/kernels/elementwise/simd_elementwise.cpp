// Elementwise kernels over n consecutive values.
#include "tensor/kernels/elementwise/elementwise_table.hpp"
#include "tensor/kernels/simd_row.hpp"

namespace headwater::kernels::HEADWATER_ISA {

namespace {

void fill(Index n, float value, float* y) {
  const f32x16 v = f32x16::broadcast(value);
  for_each_group(n, [&](Index i, Index lanes, auto part) { part.store(v, y + i, lanes); });
}

void add(Index n, const float* a, const float* b, float* y) {
  for_each_group(n, [&](Index i, Index lanes, auto part) {
    part.store(part.load(a + i, lanes) + part.load(b + i, lanes), y + i, lanes);
  });
}

void multiply(Index n, const float* a, const float* b, float* y) {
  for_each_group(n, [&](Index i, Index lanes, auto part) {
    part.store(part.load(a + i, lanes) * part.load(b + i, lanes), y + i, lanes);
  });
}

void scale(Index n, const float* x, float factor, float* y, bool accumulate) {
  const f32x16 f = f32x16::broadcast(factor);
  if (accumulate) {
    for_each_group(n, [&](Index i, Index lanes, auto part) {
      part.store(fma(f, part.load(x + i, lanes), part.load(y + i, lanes)), y + i, lanes);
    });
  } else {
    for_each_group(
        n, [&](Index i, Index lanes, auto part) { part.store(f * part.load(x + i, lanes), y + i, lanes); });
  }
}

void copy(Index n, const float* x, float* y) {
  for_each_group(n,
                 [&](Index i, Index lanes, auto part) { part.store(part.load(x + i, lanes), y + i, lanes); });
}

void transpose_16(const float* x, Index stride, Index cols, float* to, Index step) {
  transpose_panel(x, stride, 16, cols, to, step);
}

}  // namespace

extern const ElementwiseTable elementwise_functions;
const ElementwiseTable elementwise_functions{fill, add, multiply, scale, copy, transpose_16};

}  // namespace headwater::kernels::HEADWATER_ISA
