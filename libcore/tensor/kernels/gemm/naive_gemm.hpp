// The slow, obviously right version: plain loops, std:: functions, no tiles and no fixed order of sums.
// Oracle of the float kernels and the kernels of the double build.
#pragma once

#include "tensor/kernels/activation/naive_activation.hpp"
#include "tensor/kernels/gemm/gemm.hpp"

namespace headwater::naive {

// w is [I, O], or [O, I] if transposed.
template <class T>
void linear(MatrixOf<const T> x, MatrixOf<const T> w, bool is_transposed, const T* bias,
            Activation activation, MatrixOf<T> y, MatrixOf<T> pre) {
  for (Index t = 0; t < x.rows; ++t) {
    for (Index o = 0; o < y.cols; ++o) {
      T sum = 0;
      for (Index i = 0; i < x.cols; ++i) sum += x.row(t)[i] * (is_transposed ? w.row(o)[i] : w.row(i)[o]);
      if (bias) sum += bias[o];
      if (pre) pre.row(t)[o] = sum;
      y.row(t)[o] = activate(activation, sum);
    }
  }
}

template <class T>
void linear_backward_input(MatrixOf<const T> dy, MatrixOf<const T> w, MatrixOf<T> dx, bool accumulate) {
  for (Index t = 0; t < dy.rows; ++t) {
    for (Index i = 0; i < dx.cols; ++i) {
      T sum = 0;
      for (Index o = 0; o < dy.cols; ++o) sum += dy.row(t)[o] * w.row(i)[o];
      dx.row(t)[i] = (accumulate ? dx.row(t)[i] : T(0)) + sum;
    }
  }
}

template <class T>
void linear_backward_weight(MatrixOf<const T> x, MatrixOf<const T> dy, MatrixOf<T> dw, T* db,
                            bool accumulate) {
  for (Index i = 0; i < x.cols; ++i) {
    for (Index o = 0; o < dy.cols; ++o) {
      T sum = 0;
      for (Index t = 0; t < x.rows; ++t) sum += x.row(t)[i] * dy.row(t)[o];
      dw.row(i)[o] = (accumulate ? dw.row(i)[o] : T(0)) + sum;
    }
  }
  for (Index o = 0; db && o < dy.cols; ++o) {
    T sum = 0;
    for (Index t = 0; t < dy.rows; ++t) sum += dy.row(t)[o];
    db[o] = (accumulate ? db[o] : T(0)) + sum;
  }
}

}  // namespace headwater::naive
