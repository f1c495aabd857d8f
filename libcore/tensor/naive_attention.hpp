// The slow, obviously right attention: softmax(q·kᵀ·scale)·v one query at a time, and its gradient. Oracle of
// the float kernels and the kernel of the double build.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tensor/kernels.hpp"

namespace headwater::naive {

// A random word below this bound drops its element.
inline std::uint64_t dropout_bound(Real rate) {
  return static_cast<std::uint64_t>(static_cast<double>(rate) * 0x1p32);
}

// Number of keys that query i of sequence s sees: the first so many.
inline Index visible_keys(const kernels::AttentionShape& shape, Index s, Index i) {
  const Index keys = shape.key_length(s);
  return shape.is_causal ? std::clamp<Index>(i + 1 + keys - shape.query_length(s), 0, keys) : keys;
}

// What a query row does: weights p before dropout, multipliers of dropout (0 or 1/(1 - rate)), m and l of the
// softmax.
template <class T>
struct AttentionRow {
  std::vector<T> p, keep;
  T m = 0, l = 0;
};

template <class T>
AttentionRow<T> attention_row(MatrixOf<const T> q, MatrixOf<const T> k, const kernels::AttentionShape& shape,
                              Index s, Index i, Index h) {
  const Index K = shape.head_width, token = shape.query_offsets[s] + i, first_key = shape.key_offsets[s];
  const std::size_t keys = static_cast<std::size_t>(visible_keys(shape, s, i));
  AttentionRow<T> row{std::vector<T>(keys), std::vector<T>(keys, T(1))};
  if (keys == 0) return row;
  row.m = -std::numeric_limits<T>::infinity();
  for (std::size_t j = 0; j < keys; ++j) {
    const T* query = q.row(token) + h * K;
    const T* key = k.row(first_key + static_cast<Index>(j)) + h * K;
    T score = 0;
    for (Index c = 0; c < K; ++c) score += query[c] * key[c];
    row.p[j] = score * T(shape.scale);
    row.m = std::max(row.m, row.p[j]);
  }
  for (T& p : row.p) row.l += p = std::exp(p - row.m);
  for (T& p : row.p) p /= row.l;
  if (shape.dropout > 0) {
    const Index number = (shape.first_query + token) * shape.heads + h;
    const std::uint64_t first = static_cast<std::uint64_t>(number) << 16;
    for (std::size_t j = 0; j < keys; ++j) {
      const bool is_kept = random_word(shape.stream, first + j) >= dropout_bound(shape.dropout);
      row.keep[j] = is_kept ? T(1) / (T(1) - T(shape.dropout)) : T(0);
    }
  }
  return row;
}

template <class T>
void attention(MatrixOf<const T> q, MatrixOf<const T> k, MatrixOf<const T> v,
               const kernels::AttentionShape& shape, MatrixOf<T> out, MatrixOf<T> stats) {
  const Index K = shape.head_width;
  for (Index s = 0; s < shape.sequences(); ++s) {
    for (Index i = 0; i < shape.query_length(s); ++i) {
      for (Index h = 0; h < shape.heads; ++h) {
        const AttentionRow<T> row = attention_row(q, k, shape, s, i, h);
        const Index token = shape.query_offsets[s] + i;
        T* o = out.row(token) + h * K;
        std::fill(o, o + K, T(0));
        for (std::size_t j = 0; j < row.p.size(); ++j) {
          const T* value = v.row(shape.key_offsets[s] + static_cast<Index>(j)) + h * K;
          for (Index c = 0; c < K; ++c) o[c] += row.p[j] * row.keep[j] * value[c];
        }
        if (stats) {
          stats.row(token)[2 * h] = row.m;
          stats.row(token)[2 * h + 1] = row.l;
        }
      }
    }
  }
}

// o = Σ_j p_j keep_j v_j and p = softmax(s) give dp_j = keep_j (do·v_j), ds_j = p_j (dp_j - Σ p dp), dq =
// scale Σ ds_j k_j.
template <class T>
void attention_backward(MatrixOf<const T> q, MatrixOf<const T> k, MatrixOf<const T> v, MatrixOf<const T> dout,
                        const kernels::AttentionShape& shape, MatrixOf<T> dq, MatrixOf<T> dk,
                        MatrixOf<T> dv) {
  const Index K = shape.head_width;
  for (Index s = 0; s < shape.sequences(); ++s) {
    const Index first_query = shape.query_offsets[s], first_key = shape.key_offsets[s];
    for (Index i = 0; i < shape.query_length(s); ++i)
      std::fill_n(dq.row(first_query + i), shape.heads * K, T(0));
    for (Index j = 0; j < shape.key_length(s); ++j) {
      std::fill_n(dk.row(first_key + j), shape.heads * K, T(0));
      std::fill_n(dv.row(first_key + j), shape.heads * K, T(0));
    }
    for (Index i = 0; i < shape.query_length(s); ++i) {
      for (Index h = 0; h < shape.heads; ++h) {
        const AttentionRow<T> row = attention_row(q, k, shape, s, i, h);
        const T* query = q.row(first_query + i) + h * K;
        const T* d_o = dout.row(first_query + i) + h * K;
        T* d_query = dq.row(first_query + i) + h * K;
        std::vector<T> dp(row.p.size());
        T mean = 0;
        for (std::size_t j = 0; j < dp.size(); ++j) {
          const T* value = v.row(first_key + static_cast<Index>(j)) + h * K;
          for (Index c = 0; c < K; ++c) dp[j] += d_o[c] * value[c];
          dp[j] *= row.keep[j];
          mean += row.p[j] * dp[j];
        }
        for (std::size_t j = 0; j < dp.size(); ++j) {
          const Index key = first_key + static_cast<Index>(j);
          const T ds = row.p[j] * (dp[j] - mean) * T(shape.scale);
          for (Index c = 0; c < K; ++c) {
            d_query[c] += ds * k.row(key)[h * K + c];
            dk.row(key)[h * K + c] += ds * query[c];
            dv.row(key)[h * K + c] += row.p[j] * row.keep[j] * d_o[c];
          }
        }
      }
    }
  }
}

template <class T>
void attention_weights(MatrixOf<const T> q, MatrixOf<const T> k, const kernels::AttentionShape& shape,
                       Index s, Index head, MatrixOf<T> weights) {
  for (Index i = 0; i < shape.query_length(s); ++i) {
    const AttentionRow<T> row = attention_row(q, k, shape, s, i, head);
    std::fill_n(weights.row(i), shape.key_length(s), T(0));
    std::copy(row.p.begin(), row.p.end(), weights.row(i));
  }
}

inline void append_to_cache(const kernels::AttentionCache& cache, std::span<const Index> slots,
                            std::span<const Index> positions, ConstMatrix keys, ConstMatrix values) {
  const Index K = cache.head_width;
  for (Index b = 0; b < keys.rows; ++b) {
    const Index slot = slots[static_cast<std::size_t>(b)], at = positions[static_cast<std::size_t>(b)];
    for (Index h = 0; h < cache.heads; ++h) {
      for (Index c = 0; c < K; ++c) {
        cache.keys_of(slot, h)[(at / 16 * K + c) * 16 + at % 16] = keys.row(b)[h * K + c];
        cache.values_of(slot, h)[at * cache.value_width() + c] = values.row(b)[h * K + c];
      }
    }
  }
}

inline void attention_over_cache(ConstMatrix q, const kernels::AttentionCache& cache,
                                 std::span<const Index> slots, std::span<const Index> lengths, Real scale,
                                 Matrix out) {
  const Index K = cache.head_width;
  for (Index b = 0; b < q.rows; ++b) {
    const Index slot = slots[static_cast<std::size_t>(b)], keys = lengths[static_cast<std::size_t>(b)];
    for (Index h = 0; h < cache.heads; ++h) {
      std::vector<Real> k(static_cast<std::size_t>(keys * K)), v(k);
      for (Index j = 0; j < keys; ++j) {
        for (Index c = 0; c < K; ++c) {
          k[static_cast<std::size_t>(j * K + c)] = cache.keys_of(slot, h)[(j / 16 * K + c) * 16 + j % 16];
          v[static_cast<std::size_t>(j * K + c)] = cache.values_of(slot, h)[j * cache.value_width() + c];
        }
      }
      const Index offsets[] = {0, 1}, key_offsets[] = {0, keys};
      attention<Real>(ConstMatrix(q.row(b) + h * K, 1, K, q.stride), ConstMatrix(k.data(), keys, K),
                      ConstMatrix(v.data(), keys, K),
                      {.query_offsets = offsets, .key_offsets = key_offsets, .head_width = K, .scale = scale},
                      Matrix(out.row(b) + h * K, 1, K, out.stride), {});
    }
  }
}

}  // namespace headwater::naive
