// Attention of one query over cached keys and values, for all heads of a sequence: the chains and tiles of
// simd_attention.cpp, on keys that lie in panels already.
#include "tensor/kernels/attention/simd_attention_rows.hpp"

namespace headwater::kernels::HEADWATER_ISA {

namespace {

void append(const AttentionCache& cache, Index slot, Index position, const float* key, const float* value) {
  const Index K = cache.head_width, width = cache.value_width();
  position = cache.place(position);
  const Index panel = position / 16, lane = position % 16;
  for (Index h = 0; h < cache.heads; ++h, key += K, value += K) {
    float* column = cache.keys_of(slot, h) + panel * K * 16;
    if (lane == 0) {  // a new panel: the lanes of keys to come must be numbers
      for (Index c = 0; c < K; ++c) f32x16::load_partial(key + c, 1).store(column + 16 * c);
    } else {
      for (Index c = 0; c < K; ++c) column[16 * c + lane] = key[c];
    }
    float* row = cache.values_of(slot, h) + position * width;
    Index c = 0;
    for (; c + 16 <= K; c += 16) f32x16::load(value + c).store(row + c);
    if (c < K) f32x16::load_partial(value + c, K - c).store(row + c);
  }
}

// scores[16·p + lane] = query · key of that panel and lane, for P panels.
template <int P>
void score_panels(const float* query, const float* panels, Index K, float* scores) {
  f32x16 sum[P];
#pragma GCC unroll 4
  for (int p = 0; p < P; ++p) sum[p] = f32x16::zero();
  for (Index c = 0; c < K; ++c) {
    const f32x16 factor = f32x16::broadcast(query[c]);
#pragma GCC unroll 4
    for (int p = 0; p < P; ++p) sum[p] = fma(factor, f32x16::load(panels + (p * K + c) * 16), sum[p]);
  }
#pragma GCC unroll 4
  for (int p = 0; p < P; ++p) sum[p].store(scores + 16 * p);
}

void score_tile(const float* query, const float* panels, Index K, Index keys, float* scores) {
  switch ((keys + 15) / 16) {
    case 1:
      return score_panels<1>(query, panels, K, scores);
    case 2:
      return score_panels<2>(query, panels, K, scores);
    case 3:
      return score_panels<3>(query, panels, K, scores);
    default:
      return score_panels<4>(query, panels, K, scores);
  }
}

// out[16·p + lane] goes on over the keys of a tile, for P groups of columns; the last may have fewer lanes.
template <int P>
void mix_columns(const float* weights, Index keys, const float* values, Index width, bool is_first,
                 Index lanes, float* out) {
  f32x16 sum[P];
#pragma GCC unroll 4
  for (int p = 0; p < P; ++p) {
    sum[p] = is_first                   ? f32x16::zero()
             : p < P - 1 || lanes == 16 ? f32x16::load(out + 16 * p)
                                        : f32x16::load_partial(out + 16 * p, lanes);
  }
  for (Index j = 0; j < keys; ++j, values += width) {
    const f32x16 factor = f32x16::broadcast(weights[j]);
#pragma GCC unroll 4
    for (int p = 0; p < P; ++p) sum[p] = fma(factor, f32x16::load(values + 16 * p), sum[p]);
  }
#pragma GCC unroll 4
  for (int p = 0; p < P; ++p) {
    if (p < P - 1 || lanes == 16) {
      sum[p].store(out + 16 * p);
    } else {
      sum[p].store_partial(out + 16 * p, lanes);
    }
  }
}

void mix_tile(const float* weights, Index keys, const float* values, Index K, bool is_first, float* out) {
  const Index width = (K + 15) / 16 * 16;
  Index c = 0;
  for (; c + 64 < K; c += 64) mix_columns<4>(weights, keys, values + c, width, is_first, 16, out + c);
  const Index rest = K - c, groups = (rest + 15) / 16, lanes = rest - 16 * (groups - 1);
  switch (groups) {
    case 1:
      return mix_columns<1>(weights, keys, values + c, width, is_first, lanes, out + c);
    case 2:
      return mix_columns<2>(weights, keys, values + c, width, is_first, lanes, out + c);
    case 3:
      return mix_columns<3>(weights, keys, values + c, width, is_first, lanes, out + c);
    default:
      return mix_columns<4>(weights, keys, values + c, width, is_first, lanes, out + c);
  }
}

// Where the next heads' keys and values lie; the caches are larger than what stays near the processor, so
// they are fetched meanwhile.
struct NextHead {
  const AttentionCache& cache;
  Index slot, head, heads, keys;  // heads: 0 if there are none

  void prefetch_keys(Index h) const {
    if (h < heads) fetch(cache.keys_of(slot, head + h), (keys + 15) / 16 * 16 * cache.head_width);
  }
  void prefetch_values(Index h) const {
    if (h < heads) fetch(cache.values_of(slot, head + h), keys * cache.value_width());
  }

 private:
  static void fetch(const float* from, Index floats) {
    constexpr Index kMost = 8192;  // more would not stay
    for (Index i = 0; i < (floats < kMost ? floats : kMost); i += 16) __builtin_prefetch(from + i, 0, 3);
  }
};

constexpr Index kHeads =
    8;  // heads that go through each stage one after the other, so that their chains overlap

struct Heads {
  Index slot, first, count;
  Index first_key, keys;  // those before the first are not seen
};

void attend_heads(const AttentionCache& cache, const Heads& of, const float* query, float scale, float* out,
                  const NextHead& next_head) {
  const Index K = cache.head_width, width = cache.value_width();
  alignas(64) float weights[kHeads][kKeyTile];
  float m[kHeads], l[kHeads], correction[kHeads];
  for (Index h = 0; h < of.count; ++h) {
    m[h] = -kInfinity;
    l[h] = 0;
  }
  const Index first = of.first_key / kKeyTile * kKeyTile;
  for (Index j = first; j < of.keys; j += kKeyTile) {
    const bool is_first = j == first;
    const Index count = of.keys - j < kKeyTile ? of.keys - j : kKeyTile, place = cache.place(j),
                hidden = is_first ? of.first_key - j : 0;
    for (Index h = 0; h < of.count; ++h) {
      if (is_first) next_head.prefetch_keys(h);
      score_tile(query + h * K, cache.keys_of(of.slot, of.first + h) + place * K, K, count, weights[h]);
    }
    for (Index h = 0; h < of.count; ++h)
      correction[h] = softmax_step(weights[h], count, scale, m[h], l[h], hidden);
    for (Index h = 0; h < of.count; ++h) {
      if (is_first) next_head.prefetch_values(h);
      if (!is_first) scale_row(out + h * K, K, correction[h]);
      mix_tile(weights[h] + hidden, count - hidden,
               cache.values_of(of.slot, of.first + h) + (place + hidden) * width, K, is_first, out + h * K);
    }
  }
  for (Index h = 0; h < of.count; ++h) divide_row(out + h * K, K, l[h]);
}

// --- At most one tile of keys and heads of at most 64 columns: nothing is carried from tile to tile

// The chains of H heads side by side. Head h's query is at query + h·K, its keys at keys + h·key_step, ...
struct HeadRows {
  const float* query;
  const float* keys;
  const float* values;
  Index K, key_step, value_step, count;  // count: of keys
  float scale;
  float* out;
};

// weights[h] = exp(scale·scores - their maximum) of the keys of head h, which lie in P panels; l[h]: their
// sum. What softmax_step() computes for a first tile.
template <int H, int P>
void weigh(const HeadRows& heads, float (&weights)[H][kKeyTile], float (&l)[H]) {
  f32x16 sum[H][P];
#pragma GCC unroll 4
  for (int h = 0; h < H; ++h) {
#pragma GCC unroll 4
    for (int p = 0; p < P; ++p) sum[h][p] = f32x16::zero();
  }
  const float* key = heads.keys;
  for (Index c = 0; c < heads.K; ++c, key += 16) {
#pragma GCC unroll 4
    for (int h = 0; h < H; ++h) {
      const f32x16 factor = f32x16::broadcast(heads.query[h * heads.K + c]);
#pragma GCC unroll 4
      for (int p = 0; p < P; ++p)
        sum[h][p] = fma(factor, f32x16::load(key + h * heads.key_step + p * heads.K * 16), sum[h][p]);
    }
  }
  const f32x16 scale = f32x16::broadcast(heads.scale), hidden = f32x16::broadcast(-kInfinity);
  const Index lanes = heads.count - 16 * (P - 1);  // of the last panel
#pragma GCC unroll 4
  for (int h = 0; h < H; ++h) {
    f32x16 most = hidden;
#pragma GCC unroll 4
    for (int p = 0; p < P; ++p) {
      sum[h][p] = sum[h][p] * scale;
      if (p == P - 1) sum[h][p] = first_lanes(lanes, sum[h][p], hidden);
      most = max(most, sum[h][p]);
    }
    const f32x16 shift = f32x16::broadcast(reduce_max(most));
    f32x16 total = f32x16::zero();
#pragma GCC unroll 4
    for (int p = 0; p < P; ++p) {
      f32x16 weight = exp(sum[h][p] - shift);
      if (p == P - 1) weight = first_lanes(lanes, weight, f32x16::zero());
      weight.store(weights[h] + 16 * p);
      total = total + weight;
    }
    l[h] = reduce_add(total);
  }
}

// out[h] = Σ_j weights[h][j]·values[j] / l[h], G groups of 16 columns.
template <int H, int G>
void mix(const HeadRows& heads, const float (&weights)[H][kKeyTile], const float (&l)[H]) {
  f32x16 sum[H][G];
#pragma GCC unroll 4
  for (int h = 0; h < H; ++h) {
#pragma GCC unroll 4
    for (int g = 0; g < G; ++g) sum[h][g] = f32x16::zero();
  }
  const float* value = heads.values;
  for (Index j = 0; j < heads.count; ++j, value += 16 * G) {
#pragma GCC unroll 4
    for (int h = 0; h < H; ++h) {
      const f32x16 factor = f32x16::broadcast(weights[h][j]);
#pragma GCC unroll 4
      for (int g = 0; g < G; ++g)
        sum[h][g] = fma(factor, f32x16::load(value + h * heads.value_step + 16 * g), sum[h][g]);
    }
  }
  const Index lanes = heads.K - 16 * (G - 1);  // of the last group
#pragma GCC unroll 4
  for (int h = 0; h < H; ++h) {
    float* const out = heads.out + h * heads.K;
#pragma GCC unroll 4
    for (int g = 0; g < G; ++g) {
      const f32x16 result = sum[h][g] / f32x16::broadcast(l[h]);
      if (g < G - 1 || lanes == 16) {
        result.store(out + 16 * g);
      } else {
        result.store_partial(out + 16 * g, lanes);
      }
    }
  }
}

template <int H>
void attend_side_by_side(const HeadRows& heads) {
  alignas(64) float weights[H][kKeyTile];
  float l[H];
  switch ((heads.count + 15) / 16) {
    case 1:
      weigh<H, 1>(heads, weights, l);
      break;
    case 2:
      weigh<H, 2>(heads, weights, l);
      break;
    case 3:
      weigh<H, 3>(heads, weights, l);
      break;
    default:
      weigh<H, 4>(heads, weights, l);
      break;
  }
  switch ((heads.K + 15) / 16) {
    case 1:
      return mix<H, 1>(heads, weights, l);
    case 2:
      return mix<H, 2>(heads, weights, l);
    case 3:
      return mix<H, 3>(heads, weights, l);
    default:
      return mix<H, 4>(heads, weights, l);
  }
}

#ifdef HEADWATER_ISA_avx512
constexpr int kSideBySide = 4;
#else
constexpr int kSideBySide = 2;
#endif

void attend_one_tile(const AttentionCache& cache, Index slot, HeadRows heads) {
  Index h = 0;
  const auto at = [&](Index head) {
    HeadRows rows = heads;
    rows.query += head * heads.K;
    rows.keys = cache.keys_of(slot, head);
    rows.values = cache.values_of(slot, head);
    rows.out += head * heads.K;
    return rows;
  };
  for (; h + kSideBySide <= cache.heads; h += kSideBySide) attend_side_by_side<kSideBySide>(at(h));
  for (; h < cache.heads; ++h) attend_side_by_side<1>(at(h));
}

void attend(const AttentionCache& cache, const CacheQueries& queries, MatrixOf<float> out) {
  const Index K = cache.head_width;
  const auto count_from = [&](Index head) {
    return cache.heads - head < kHeads ? cache.heads - head : kHeads;
  };
  for (Index b = 0; b < queries.q.rows; ++b) {
    const Index length = queries.lengths[b],
                first_key = cache.window > 0 && length > cache.window ? length - cache.window : 0;
    if (length <= kKeyTile && first_key == 0 && K <= 64) {
      attend_one_tile(cache, queries.slots[b],
                      {.query = queries.q.row(b),
                       .keys = nullptr,
                       .values = nullptr,
                       .K = K,
                       .key_step = cache.key_lanes() * K,
                       .value_step = cache.capacity * cache.value_width(),
                       .count = length,
                       .scale = queries.scale,
                       .out = out.row(b)});
      continue;
    }
    for (Index h = 0; h < cache.heads; h += kHeads) {
      const bool is_last = h + kHeads >= cache.heads, has_next = !is_last || b + 1 < queries.q.rows;
      const Index next = is_last ? b + 1 : b, head = is_last ? 0 : h + kHeads;
      const NextHead next_head = has_next ? NextHead{cache, queries.slots[next], head, count_from(head),
                                                     cache.held(queries.lengths[next])}
                                          : NextHead{cache, 0, 0, 0, 0};
      attend_heads(cache, {queries.slots[b], h, count_from(h), first_key, length}, queries.q.row(b) + h * K,
                   queries.scale, out.row(b) + h * K, next_head);
    }
  }
}

}  // namespace

extern const AttentionCacheTable attention_cache_functions;
const AttentionCacheTable attention_cache_functions{append, attend};

}  // namespace headwater::kernels::HEADWATER_ISA
