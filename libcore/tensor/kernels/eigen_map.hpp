// Our views as matrices and arrays of Eigen, for .cpp files of this room only (tests/layering_test.cpp): its
// headers take seconds to compile.
#pragma once

// Exponentials are then those of the C library, which the kernels' own are measured against.
#define EIGEN_DONT_VECTORIZE
#include <Eigen/Core>

#include "tensor/matrix.hpp"

namespace headwater::kernels {

namespace detail {
template <class T>
struct EigenTypes {
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Array = Eigen::Array<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Run = Eigen::Array<T, 1, Eigen::Dynamic>;
};
template <class T>
struct EigenTypes<const T> {
  using Matrix = const typename EigenTypes<T>::Matrix;
  using Array = const typename EigenTypes<T>::Array;
  using Run = const typename EigenTypes<T>::Run;
};
using RowStride = Eigen::OuterStride<>;
}  // namespace detail

// For products: * is the one of matrices.
template <class T>
auto matrix_of(MatrixOf<T> m) {
  using Matrix = typename detail::EigenTypes<T>::Matrix;
  return Eigen::Map<Matrix, Eigen::Unaligned, detail::RowStride>(m.data, m.rows, m.cols,
                                                                 detail::RowStride(m.stride));
}
// Element by element: * is the one of numbers.
template <class T>
auto array_of(MatrixOf<T> m) {
  using Array = typename detail::EigenTypes<T>::Array;
  return Eigen::Map<Array, Eigen::Unaligned, detail::RowStride>(m.data, m.rows, m.cols,
                                                                detail::RowStride(m.stride));
}
// n consecutive numbers.
template <class T>
auto array_of(T* numbers, Index n) {
  return Eigen::Map<typename detail::EigenTypes<T>::Run>(numbers, n);
}

}  // namespace headwater::kernels
