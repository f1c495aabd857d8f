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

// One head; what is independent between heads overlaps in the processor.
void attend_head(const AttentionCache& cache, Index slot, Index head, Index keys, const float* query,
                 float scale, float* out) {
  const Index K = cache.head_width, width = cache.value_width();
  const float* panels = cache.keys_of(slot, head);
  const float* values = cache.values_of(slot, head);
  alignas(64) float weights[kKeyTile];
  float m = -kInfinity, l = 0;
  for (Index j = 0; j < keys; j += kKeyTile) {
    const Index count = keys - j < kKeyTile ? keys - j : kKeyTile;
    score_tile(query, panels + j * K, K, count, weights);
    const float correction = softmax_step(weights, count, scale, m, l);
    if (j > 0) scale_row(out, K, correction);
    mix_tile(weights, count, values + j * width, K, j == 0, out);
  }
  divide_row(out, K, l);
}

// The caches are larger than what stays near the processor: a head's part is fetched while the head before
// it is computed.
void fetch(const AttentionCache& cache, Index slot, Index head, Index keys) {
  const Index K = cache.head_width;
  const float* panels = cache.keys_of(slot, head);
  const float* values = cache.values_of(slot, head);
  const Index key_floats = (keys + 15) / 16 * 16 * K, value_floats = keys * cache.value_width();
  for (Index i = 0; i < key_floats; i += 16) __builtin_prefetch(panels + i, 0, 3);
  for (Index i = 0; i < value_floats; i += 16) __builtin_prefetch(values + i, 0, 3);
}

void attend(const AttentionCache& cache, const CacheQueries& queries, MatrixOf<float> out) {
  const Index K = cache.head_width;
  constexpr Index kMostFetched = 16 * 1024;  // floats of a head; more would not stay
  for (Index b = 0; b < queries.q.rows; ++b) {
    const Index slot = queries.slots[b], keys = queries.lengths[b];
    for (Index h = 0; h < cache.heads; ++h) {
      const bool is_last = h + 1 == cache.heads;
      if (keys * K <= kMostFetched && (!is_last || b + 1 < queries.q.rows)) {
        fetch(cache, is_last ? queries.slots[b + 1] : slot, is_last ? 0 : h + 1,
              is_last ? queries.lengths[b + 1] : keys);
      }
      attend_head(cache, slot, h, keys, queries.q.row(b) + h * K, queries.scale, out.row(b) + h * K);
    }
  }
}

}  // namespace

extern const CacheTable cache_functions;
const CacheTable cache_functions{append, attend};

}  // namespace headwater::kernels::HEADWATER_ISA
