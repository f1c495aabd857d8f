// Softmax of scores and its gradient, 16 queries at a time: what the rows end with (their maximum, their sum)
// is reduced for all of them together, so that no row waits for its own.
#pragma once

#include "tensor/kernels/attention/attention_table.hpp"
#include "tensor/kernels/dropout/simd_random.hpp"
#include "tensor/simd_math.hpp"

namespace headwater::kernels::HEADWATER_ISA {

inline constexpr Index kSoftmaxRows = 16;

// Up to 16 rows of scores; row r is at scores + r·stride and sees its first count(r) keys.
struct ScoreRows {
  float* scores;
  Index stride;
  Index rows;
  Index first_count;   // of row 0
  Index growth;        // keys that a row sees more than the one before
  Index keys;          // most
  Index first_hidden;  // so many keys at the beginning row 0 does not see, row r so many and r more
  Index count(Index r) const {
    const Index seen = first_count + r * growth;
    return seen < keys ? seen : keys;
  }
  Index hidden(Index r) const { return first_hidden + r; }
  // Keys from `first` on, `most` of them.
  ScoreRows keys_from(Index first, Index most) const {
    return {scores + first,      stride, rows,
            first_count - first, growth, keys - first < most ? keys - first : most,
            first_hidden - first};
  }
};

// Dropout of these rows; the counter blocks of row 0, and from one row to the next.
struct RowsDropout {
  const Philox& philox;
  std::uint64_t first_block, row_blocks;
};

// The random words of up to 16 rows, 16 keys in a group.
struct DropoutWords {
  i32x16 group[kSoftmaxRows][kMaxKeySpan / 16];
};
inline void draw_words(const RowsDropout& dropout, const ScoreRows& rows, Index first_key,
                       DropoutWords& words) {
  random_words(dropout.philox,
               {.first_block = dropout.first_block + static_cast<std::uint64_t>(first_key / 4),
                .row_blocks = dropout.row_blocks,
                .rows = rows.rows,
                .groups = (rows.count(rows.rows - 1) + 15) / 16,
                .to = words.group[0],
                .to_row = kMaxKeySpan / 16});
}

// Values whose exponentials are computed side by side.
#if defined(HEADWATER_ISA_avx512)
inline constexpr int kExpsTogether = 4;
#else
inline constexpr int kExpsTogether = 1;
#endif

// Lane r: the lanes of part[r] reduced l + 8, l + 4, l + 2, l + 1.
template <class Reduce>
HEADWATER_INLINE f32x16 reduction_rows(f32x16 (&part)[16], const Reduce& reduce) {
  transpose(part);
#pragma GCC unroll 4
  for (int half = 8; half > 0; half /= 2) {
#pragma GCC unroll 8
    for (int l = 0; l < half; ++l) part[l] = reduce(part[l], part[l + half]);
  }
  return part[0];
}

// What the rows of a tile see: all its keys but the last, each its own first ones, or each its own within it.
enum class Sight { whole, first, window };

// x in the lanes of the keys that row r sees, `missing` in the others; group v of V.
template <int V, Sight kSight>
HEADWATER_INLINE f32x16 seen_or(f32x16 x, const ScoreRows& tile, Index r, int v, float missing) {
  if (kSight == Sight::whole && v < V - 1) return x;
  const auto lanes = [v](Index count) {
    const Index rest = count - 16 * v;
    return rest < 0 ? 0 : (rest < 16 ? rest : 16);
  };
  const f32x16 other = f32x16::broadcast(missing);
  if (kSight == Sight::window) x = first_lanes(lanes(tile.hidden(r)), other, x);
  return first_lanes(lanes(tile.count(r)), x, other);
}

// Where the softmax of these rows has come to: m and l; correction = exp(m before - m), 1 where a row sees
// none of the keys.
struct RunningRows {
  float *m, *l, *correction;
};

// A tile of keys of which the rows see V groups of 16. Scores s become exp(scale·s - m), after dropout if
// there are words (of a row: kMaxKeySpan / 16 groups from its first on).
template <int V, Sight kSight>
void softmax_rows(const ScoreRows& tile, float scale, const DropoutRule& dropout, const i32x16* words,
                  const RunningRows& to) {
  const f32x16 factor = f32x16::broadcast(scale), lowest = f32x16::broadcast(-__builtin_inff());
  f32x16 part[16];
  for (Index r = 0; r < tile.rows; ++r) {
    const float* s = tile.scores + r * tile.stride;
    f32x16 most = lowest;
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) {
      const f32x16 x = f32x16::load(s + 16 * v) * factor;
      most = max(most, seen_or<V, kSight>(x, tile, r, v, -__builtin_inff()));
    }
    part[r] = most;
  }
  for (Index r = tile.rows; r < 16; ++r) part[r] = f32x16::zero();
  const f32x16 before = f32x16::load_partial(to.m, tile.rows);
  const f32x16 next = max(before, reduction_rows(part, [](f32x16 a, f32x16 b) { return max(a, b); }));
  next.store_partial(to.m, tile.rows);
  const f32x16 correction = select(equal(before, lowest), f32x16::zero(), exp(before - next));
  correction.store_partial(to.correction, tile.rows);

  constexpr int R = kExpsTogether >= 2 * V ? kExpsTogether / V : 1;  // rows side by side
  for (Index first = 0; first < tile.rows; first += R) {
    const auto row = [&](int i) { return first + i < tile.rows ? first + i : tile.rows - 1; };
    f32x16 x[R * V];
#pragma GCC unroll 4
    for (int i = 0; i < R; ++i) {
      const float* s = tile.scores + row(i) * tile.stride;
      const f32x16 shift = f32x16::broadcast(to.m[row(i)]);
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) x[i * V + v] = f32x16::load(s + 16 * v) * factor - shift;
    }
    exp_of_negative(x);
#pragma GCC unroll 4
    for (int i = 0; i < R; ++i) {
      float* s = tile.scores + row(i) * tile.stride;
      f32x16 sum = f32x16::zero();
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) {
        f32x16 p = seen_or<V, kSight>(x[i * V + v], tile, row(i), v, 0);
        sum = sum + p;
        if (words) {
          p = keep(dropout, words[row(i) * (kMaxKeySpan / 16) + v], p * f32x16::broadcast(dropout.scale));
        }
        p.store(s + 16 * v);
      }
      part[row(i)] = sum;
    }
  }
  for (Index r = tile.rows; r < 16; ++r) part[r] = f32x16::zero();
  const f32x16 total = reduction_rows(part, [](f32x16 a, f32x16 b) { return a + b; });
  (f32x16::load_partial(to.l, tile.rows) * correction + total).store_partial(to.l, tile.rows);
}

inline void softmax_rows(const ScoreRows& tile, float scale, const DropoutRule& dropout, const i32x16* words,
                         const RunningRows& to) {
  const Index most = tile.count(tile.rows - 1);
  with_constant<kKeyTile / 16>((most + 15) / 16, [&]<int V>() {
    const auto softmax = tile.hidden(tile.rows - 1) > 0 ? softmax_rows<V, Sight::window>
                         : tile.count(0) < most         ? softmax_rows<V, Sight::first>
                                                        : softmax_rows<V, Sight::whole>;
    softmax(tile, scale, dropout, words, to);
  });
}

// What is known of the rows' softmax: m, l, and mean = Σ p dp.
struct RowStates {
  const float *m, *l, *mean;
};

// Scores s become p (after dropout), products dp (row r at products + r·stride) become ds = p (dp - mean)
// scale.
inline void softmax_backward_rows(const ScoreRows& rows, float scale, const DropoutRule& dropout,
                                  const DropoutWords* words, const RowStates& states, float* products) {
  const f32x16 factor = f32x16::broadcast(scale), kept = f32x16::broadcast(dropout.scale);
  const Index groups = (rows.count(rows.rows - 1) + 15) / 16;
  for (Index r = 0; r < rows.rows; ++r) {
    const f32x16 shift = f32x16::broadcast(states.m[r]), total = f32x16::broadcast(states.l[r]),
                 mean = f32x16::broadcast(states.mean[r]);
    for_each_part<kExpsTogether>(groups, [&]<int N>(Index first) {
      float* s = rows.scores + r * rows.stride + 16 * first;
      float* dp = products + r * rows.stride + 16 * first;
      f32x16 p[N], gradient[N];
#pragma GCC unroll 4
      for (int i = 0; i < N; ++i) p[i] = f32x16::load(s + 16 * i) * factor - shift;
      exp_of_negative(p);
#pragma GCC unroll 4
      for (int i = 0; i < N; ++i) {
        p[i] = p[i] / total;
        gradient[i] = f32x16::load(dp + 16 * i);
        if (words) {
          const i32x16 word = words->group[r][first + i];
          (p[i] * (keep(dropout, word, gradient[i] * kept) - mean) * factor).store(dp + 16 * i);
          keep(dropout, word, p[i] * kept).store(s + 16 * i);
        } else {
          (p[i] * (gradient[i] - mean) * factor).store(dp + 16 * i);
          p[i].store(s + 16 * i);
        }
      }
    });
  }
}

}  // namespace headwater::kernels::HEADWATER_ISA
