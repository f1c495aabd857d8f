// Rotary positions: numbers of a token turned by angles of its place.
#pragma once

#include <span>

#include "tensor/matrix.hpp"

namespace headwater::kernels {

enum class Turn { forth, back };

// Each pair (x[i], x[i + K/2]) of the K numbers of a head, turned by the angle of the row's position (Su et
// al. 2021, sec. 3.2; pairs as GPT-NeoX and Llama have them): x, y [T, H·K], table [N, K] of K/2 cosines and
// then K/2 sines. forth: (a·c - b·s, b·c + a·s), back: the inverse; each product and each sum is rounded. y
// may be x unless it accumulates.
void rotate(ConstMatrix x, std::span<const Index> position_of, ConstMatrix table, Turn turn, Matrix y,
            bool accumulate);

}  // namespace headwater::kernels
