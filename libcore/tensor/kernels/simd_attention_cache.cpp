// Attention of one query over cached keys and values, for all heads of a sequence: the chains and tiles of
// simd_attention.cpp, on keys that lie in panels already.
#include "tensor/kernels/simd_attention_rows.hpp"

namespace headwater::kernels::HEADWATER_ISA {

namespace {

void append(const AttentionCache& cache, Index slot, Index position, const float* key, const float* value) {
  const Index K = cache.head_width, width = cache.value_width();
  const Index panel = position / 16, lane = position % 16;
  for (Index h = 0; h < cache.heads; ++h, key += K, value += K) {
    float* column = cache.keys_of(slot, h) + panel * K * 16;
    if (lane == 0) {  // a new panel: the lanes of keys to come must be numbers
      for (Index c = 0; c < K; ++c) F16::load_partial(key + c, 1).store(column + 16 * c);
    } else {
      for (Index c = 0; c < K; ++c) column[16 * c + lane] = key[c];
    }
    float* row = cache.values_of(slot, h) + position * width;
    Index c = 0;
    for (; c + 16 <= K; c += 16) F16::load(value + c).store(row + c);
    if (c < K) F16::load_partial(value + c, K - c).store(row + c);
  }
}

// scores[16·p + lane] = query · key of that panel and lane, for P panels.
template <int P>
void score_panels(const float* query, const float* panels, Index K, float* scores) {
  F16 sum[P];
#pragma GCC unroll 4
  for (int p = 0; p < P; ++p) sum[p] = F16::zero();
  for (Index c = 0; c < K; ++c) {
    const F16 factor = F16::broadcast(query[c]);
#pragma GCC unroll 4
    for (int p = 0; p < P; ++p) sum[p] = fma(factor, F16::load(panels + (p * K + c) * 16), sum[p]);
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
  F16 sum[P];
#pragma GCC unroll 4
  for (int p = 0; p < P; ++p) {
    sum[p] = is_first                   ? F16::zero()
             : p < P - 1 || lanes == 16 ? F16::load(out + 16 * p)
                                        : F16::load_partial(out + 16 * p, lanes);
  }
  for (Index j = 0; j < keys; ++j, values += width) {
    const F16 factor = F16::broadcast(weights[j]);
#pragma GCC unroll 4
    for (int p = 0; p < P; ++p) sum[p] = fma(factor, F16::load(values + 16 * p), sum[p]);
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
struct Ahead {
  const AttentionCache& cache;
  Index slot, head, heads, keys;  // heads: 0 if there are none

  void fetch_keys(Index h) const {
    if (h < heads) fetch(cache.keys_of(slot, head + h), (keys + 15) / 16 * 16 * cache.head_width);
  }
  void fetch_values(Index h) const {
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
  Index slot, first, count, keys;
};

void attend_heads(const AttentionCache& cache, const Heads& of, const float* query, float scale, float* out,
                  const Ahead& ahead) {
  const Index K = cache.head_width, width = cache.value_width();
  alignas(64) float weights[kHeads][kKeyTile];
  float m[kHeads], l[kHeads], correction[kHeads];
  for (Index h = 0; h < of.count; ++h) {
    m[h] = -kInfinity;
    l[h] = 0;
  }
  for (Index j = 0; j < of.keys; j += kKeyTile) {
    const Index count = of.keys - j < kKeyTile ? of.keys - j : kKeyTile;
    for (Index h = 0; h < of.count; ++h) {
      if (j == 0) ahead.fetch_keys(h);
      score_tile(query + h * K, cache.keys_of(of.slot, of.first + h) + j * K, K, count, weights[h]);
    }
    for (Index h = 0; h < of.count; ++h) correction[h] = softmax_step(weights[h], count, scale, m[h], l[h]);
    for (Index h = 0; h < of.count; ++h) {
      if (j == 0) ahead.fetch_values(h);
      if (j > 0) scale_row(out + h * K, K, correction[h]);
      mix_tile(weights[h], count, cache.values_of(of.slot, of.first + h) + j * width, K, j == 0, out + h * K);
    }
  }
  for (Index h = 0; h < of.count; ++h) divide_row(out + h * K, K, l[h]);
}

void attend(const AttentionCache& cache, const CacheQueries& queries, MatrixOf<float> out) {
  const Index K = cache.head_width;
  const auto count_from = [&](Index head) {
    return cache.heads - head < kHeads ? cache.heads - head : kHeads;
  };
  for (Index b = 0; b < queries.q.rows; ++b) {
    for (Index h = 0; h < cache.heads; h += kHeads) {
      const bool is_last = h + kHeads >= cache.heads, has_next = !is_last || b + 1 < queries.q.rows;
      const Index next = is_last ? b + 1 : b, head = is_last ? 0 : h + kHeads;
      const Ahead ahead =
          has_next ? Ahead{cache, queries.slots[next], head, count_from(head), queries.lengths[next]}
                   : Ahead{cache, 0, 0, 0, 0};
      attend_heads(cache, {queries.slots[b], h, count_from(h), queries.lengths[b]}, queries.q.row(b) + h * K,
                   queries.scale, out.row(b) + h * K, ahead);
    }
  }
}

}  // namespace

extern const CacheTable cache_functions;
const CacheTable cache_functions{append, attend};

}  // namespace headwater::kernels::HEADWATER_ISA
