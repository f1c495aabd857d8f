// Softmax of a tile of scores and its gradient, 16 queries at a time: what a row ends with (its maximum, its
// sum) is folded for all of them together, so that no row waits for its own.
#pragma once

#include "tensor/kernels/row_tables.hpp"
#include "tensor/kernels/simd_random.hpp"
#include "tensor/simd_math.hpp"

namespace headwater::kernels::HEADWATER_ISA {

inline constexpr Index kSoftmaxRows = 16;

// Up to 16 rows of a tile; row r is at scores + r·kKeyTile and sees its first count(r) keys, 1 or more.
struct TileRows {
  float* scores;
  Index rows;
  Index first_count;  // of row 0
  Index growth;       // keys that a row sees more than the one before
  Index keys;         // most
  Index count(Index r) const {
    const Index seen = first_count + r * growth;
    return seen < keys ? seen : keys;
  }
  bool is_ragged() const { return rows > 1 && count(0) < count(rows - 1); }
  int panels() const { return static_cast<int>((count(rows - 1) + 15) / 16); }
};

// Dropout of these rows.
struct RowsDropout {
  const DropoutRule& rule;
  PhiloxKeys keys;
  std::uint64_t first_block, row_blocks;  // counter blocks: of row 0, from one row to the next
};

// rule.bound > 0
template <int V>
inline void draw_words(const RowsDropout& dropout, Index rows, Words64* words) {
  for (Index r = 0; r < rows; ++r) {
    random_words<V>(dropout.rule.stream, dropout.keys,
                    dropout.first_block + static_cast<std::uint64_t>(r) * dropout.row_blocks, words[r]);
  }
}

// Lane r: the lanes of part[r] folded l + 8, l + 4, l + 2, l + 1.
template <class Fold>
HEADWATER_INLINE F16 fold_rows(F16 (&part)[16], const Fold& fold) {
  transpose(part);
#pragma GCC unroll 4
  for (int half = 8; half > 0; half /= 2) {
#pragma GCC unroll 8
    for (int l = 0; l < half; ++l) part[l] = fold(part[l], part[l + half]);
  }
  return part[0];
}

// x in the lanes of keys that the row sees, `missing` in the others; group v of V.
template <int V, bool kRagged>
HEADWATER_INLINE F16 seen_or(F16 x, Index count, int v, float missing) {
  if (!kRagged && v < V - 1) return x;
  const Index lanes = count - 16 * v;
  return first_lanes(lanes < 0 ? 0 : (lanes < 16 ? lanes : 16), x, F16::broadcast(missing));
}

// Scores s become exp(scale·s - m') (after dropout, if there is any); m and l move; correction = exp(m - m').
// m, l and correction have room for 16 rows.
template <int V, bool kRagged>
void softmax_rows(const TileRows& tile, float scale, const RowsDropout* dropout, float* m, float* l,
                  float* correction) {
  const F16 factor = F16::broadcast(scale), lowest = F16::broadcast(-__builtin_inff());
  F16 part[16];
  for (Index r = 0; r < tile.rows; ++r) {
    const float* s = tile.scores + r * kKeyTile;
    const Index count = tile.count(r);
    F16 most = lowest;
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) {
      const F16 x = F16::load(s + 16 * v) * factor;
      most = max(most, seen_or<V, kRagged>(x, count, v, -__builtin_inff()));
    }
    part[r] = most;
  }
  for (Index r = tile.rows; r < 16; ++r) part[r] = F16::zero();
  const F16 before = F16::load_partial(m, tile.rows);
  const F16 next = max(before, fold_rows(part, [](F16 a, F16 b) { return max(a, b); }));
  next.store_partial(m, tile.rows);
  const F16 moved = select(equal(before, lowest), F16::zero(), exp(before - next));
  moved.store_partial(correction, tile.rows);

  Words64 words[16];
  if (dropout) draw_words<V>(*dropout, tile.rows, words);
  for (Index r = 0; r < tile.rows; ++r) {
    float* s = tile.scores + r * kKeyTile;
    const Index count = tile.count(r);
    const F16 shift = F16::broadcast(m[r]);
    F16 sum = F16::zero();
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) {
      F16 x = exp(F16::load(s + 16 * v) * factor - shift);
      x = seen_or<V, kRagged>(x, count, v, 0);
      sum = sum + x;
      if (dropout) x = keep(dropout->rule, words[r].group[v], x * F16::broadcast(dropout->rule.scale));
      x.store(s + 16 * v);
    }
    part[r] = sum;
  }
  for (Index r = tile.rows; r < 16; ++r) part[r] = F16::zero();
  const F16 total = fold_rows(part, [](F16 a, F16 b) { return a + b; });
  (F16::load_partial(l, tile.rows) * moved + total).store_partial(l, tile.rows);
}

inline void softmax_rows(const TileRows& tile, float scale, const RowsDropout* dropout, float* m, float* l,
                         float* correction) {
  const auto run = [&]<int V>() {
    (tile.is_ragged() ? softmax_rows<V, true> : softmax_rows<V, false>)(tile, scale, dropout, m, l,
                                                                        correction);
  };
  switch (tile.panels()) {
    case 1:
      return run.template operator()<1>();
    case 2:
      return run.template operator()<2>();
    case 3:
      return run.template operator()<3>();
    default:
      return run.template operator()<4>();
  }
}

// What is known of the rows' softmax: m, l, and mean = Σ p dp.
struct RowStates {
  const float *m, *l, *mean;
};

// Scores s become p (after dropout), products dp (row r at products + r·kKeyTile) become
// ds = p (dp - mean) scale.
template <int V>
void softmax_backward_rows(const TileRows& tile, float scale, const RowsDropout* dropout,
                           const RowStates& states, float* products) {
  const F16 factor = F16::broadcast(scale);
  Words64 words[16];
  if (dropout) draw_words<V>(*dropout, tile.rows, words);
  for (Index r = 0; r < tile.rows; ++r) {
    float* s = tile.scores + r * kKeyTile;
    float* dp = products + r * kKeyTile;
    const F16 shift = F16::broadcast(states.m[r]), total = F16::broadcast(states.l[r]),
              mean = F16::broadcast(states.mean[r]);
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) {
      F16 p = exp(F16::load(s + 16 * v) * factor - shift) / total;
      F16 gradient = F16::load(dp + 16 * v);
      if (dropout) {
        const F16 kept = F16::broadcast(dropout->rule.scale);
        gradient = keep(dropout->rule, words[r].group[v], gradient * kept);
        (p * (gradient - mean) * factor).store(dp + 16 * v);
        keep(dropout->rule, words[r].group[v], p * kept).store(s + 16 * v);
      } else {
        (p * (gradient - mean) * factor).store(dp + 16 * v);
        p.store(s + 16 * v);
      }
    }
  }
}

inline void softmax_backward_rows(const TileRows& tile, float scale, const RowsDropout* dropout,
                                  const RowStates& states, float* products) {
  switch (tile.panels()) {
    case 1:
      return softmax_backward_rows<1>(tile, scale, dropout, states, products);
    case 2:
      return softmax_backward_rows<2>(tile, scale, dropout, states, products);
    case 3:
      return softmax_backward_rows<3>(tile, scale, dropout, states, products);
    default:
      return softmax_backward_rows<4>(tile, scale, dropout, states, products);
  }
}

}  // namespace headwater::kernels::HEADWATER_ISA
