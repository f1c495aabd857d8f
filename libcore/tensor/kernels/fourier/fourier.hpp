// Fourier mixing of tokens (Lee-Thorp et al. 2021).
#pragma once

#include <span>

#include "tensor/matrix.hpp"

namespace headwater::kernels {

// y (+)= real part of the two-dimensional discrete Fourier transform of each sequence's x [n, D], over tokens
// and width: y[k, l] = Re Σ_t Σ_c x[t, c]·e^(-2πi(tk/n + cl/D)) (Lee-Thorp et al. 2021, sec. 3.2), by fast
// transforms of any length. Linear and symmetric: the backward is the same call on dy.
void fourier_mix(ConstMatrix x, std::span<const Index> offsets, Matrix y, bool accumulate);

}  // namespace headwater::kernels
