// Rotary positions: numbers of a token turned by angles of its place.
#pragma once

#include <span>

#include "tensor/matrix.hpp"

namespace headwater::kernels {

enum class Turn { forth, back };

// Turns each pair (x[i], x[i + K/2]) of the K numbers of a head by the angle of the row's position (Su et al.
// 2021, sec. 3.2; pairs as in GPT-NeoX and Llama). x, y [T, H·K]; table [N, K] has K/2 cosines, then K/2
// sines. forth: (a·c - b·s, b·c + a·s); back: the inverse. Each product and each sum is rounded. y may be x
// unless it accumulates.
void rotate(ConstMatrix x, std::span<const Index> position_of, ConstMatrix table, Turn turn, Matrix y,
            bool accumulate);

}  // namespace headwater::kernels
