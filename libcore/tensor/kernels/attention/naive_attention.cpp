// The naive form of attention, and the kernels of the double build.
#include "tensor/kernels/naive.hpp"

#include <algorithm>
#include <vector>

#include "tensor/kernels/eigen_map.hpp"

namespace headwater {

using kernels::AttentionShape;
using kernels::matrix_of;

namespace naive {

namespace {

using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Rows of sequence s and columns of head h.
template <class T>
auto query_block(MatrixOf<T> x, const AttentionShape& shape, Index s, Index h) {
  return matrix_of(MatrixOf<T>(x.row(shape.query_offsets[s]) + h * shape.head_width, shape.query_length(s),
                               shape.head_width, x.stride));
}
template <class T>
auto key_block(MatrixOf<T> x, const AttentionShape& shape, Index s, Index h) {
  return matrix_of(MatrixOf<T>(x.row(shape.key_offsets[s]) + h * shape.head_width, shape.key_length(s),
                               shape.head_width, x.stride));
}

// One sequence and head: the weights before dropout, what dropout multiplies them by, and of each query's
// softmax the maximum and the sum.
struct Weights {
  Dense p, keep;
  Eigen::ArrayXd m, l;
};

Weights weights_of(ConstMatrix q, ConstMatrix k, const AttentionShape& shape, Index s, Index h) {
  const Index queries = shape.query_length(s), keys = shape.key_length(s);
  Weights w{Dense::Zero(queries, keys), Dense::Ones(queries, keys), Eigen::ArrayXd::Zero(queries),
            Eigen::ArrayXd::Zero(queries)};
  const Dense scores =
      static_cast<double>(shape.scale) * query_block(q, shape, s, h) * key_block(k, shape, s, h).transpose();
  for (Index i = 0; i < queries; ++i) {
    const Index first = first_visible_key(shape, s, i), visible = visible_keys(shape, s, i);
    if (visible <= first) continue;
    const auto row = scores.row(i).segment(first, visible - first).array();
    w.m[i] = row.maxCoeff();
    w.p.row(i).segment(first, visible - first) = (row - w.m[i]).exp();
    w.l[i] = w.p.row(i).sum();
    w.p.row(i) /= w.l[i];
    if (shape.dropout <= 0) continue;
    const Index number = (shape.first_query + shape.query_offsets[s] + i) * shape.heads + h;
    const auto element = static_cast<std::uint64_t>(number) << 16;
    for (Index j = first; j < visible; ++j)
      w.keep(i, j) = dropout_factor(shape.dropout, shape.stream, element + static_cast<std::uint64_t>(j));
  }
  return w;
}

}  // namespace

Index visible_keys(const AttentionShape& shape, Index s, Index i) {
  const Index keys = shape.key_length(s), own = i + keys - shape.query_length(s);
  if (shape.is_causal) return std::clamp<Index>(own + 1, 0, keys);
  return shape.window > 0 ? std::clamp<Index>(own + shape.window, 0, keys) : keys;
}

Index first_visible_key(const AttentionShape& shape, Index s, Index i) {
  const Index keys = shape.key_length(s), own = i + keys - shape.query_length(s);
  return shape.window > 0 ? std::clamp<Index>(own + 1 - shape.window, 0, keys) : 0;
}

void attention(ConstMatrix q, ConstMatrix k, ConstMatrix v, const AttentionShape& shape, Matrix out,
               Matrix stats) {
  for (Index s = 0; s < shape.sequences(); ++s) {
    for (Index h = 0; h < shape.heads; ++h) {
      const Weights w = weights_of(q, k, shape, s, h);
      query_block(out, shape, s, h) = w.p.cwiseProduct(w.keep) * key_block(v, shape, s, h);
      if (!stats) continue;
      auto rows = matrix_of(stats).middleRows(shape.query_offsets[s], shape.query_length(s));
      rows.col(2 * h) = w.m;
      rows.col(2 * h + 1) = w.l;
    }
  }
}

// With a = p∘keep: dv = aᵀ·dout, dp = (dout·vᵀ)∘keep, ds = p∘(dp - Σ_j p∘dp)·scale, dq = ds·k, dk = dsᵀ·q.
void attention_backward(ConstMatrix q, ConstMatrix k, ConstMatrix v, ConstMatrix dout,
                        const AttentionShape& shape, Matrix dq, Matrix dk, Matrix dv) {
  for (Index s = 0; s < shape.sequences(); ++s) {
    for (Index h = 0; h < shape.heads; ++h) {
      const Weights w = weights_of(q, k, shape, s, h);
      const auto d_out = query_block(dout, shape, s, h);
      const Dense dp = (d_out * key_block(v, shape, s, h).transpose()).cwiseProduct(w.keep);
      const Eigen::VectorXd mean = w.p.cwiseProduct(dp).rowwise().sum();
      const Dense ds = static_cast<double>(shape.scale) * w.p.cwiseProduct(dp.colwise() - mean);
      query_block(dq, shape, s, h) = ds * key_block(k, shape, s, h);
      key_block(dk, shape, s, h) = ds.transpose() * query_block(q, shape, s, h);
      key_block(dv, shape, s, h) = w.p.cwiseProduct(w.keep).transpose() * d_out;
    }
  }
}

void attention_weights(ConstMatrix q, ConstMatrix k, const AttentionShape& shape, Index s, Index head,
                       Matrix weights) {
  matrix_of(weights) = weights_of(q, k, shape, s, head).p;
}

}  // namespace naive

#ifdef HEADWATER_DOUBLE
namespace kernels {

void attention(ConstMatrix q, ConstMatrix k, ConstMatrix v, const AttentionShape& shape, Matrix out,
               Matrix stats) {
  naive::attention(q, k, v, shape, out, stats);
}
void attention_backward(ConstMatrix q, ConstMatrix k, ConstMatrix v, ConstMatrix, ConstMatrix,
                        ConstMatrix dout, const AttentionShape& shape, Matrix dq, Matrix dk, Matrix dv) {
  naive::attention_backward(q, k, v, dout, shape, dq, dk, dv);
}
void attention_weights(ConstMatrix q, ConstMatrix k, const AttentionShape& shape, Index sequence, Index head,
                       Matrix weights) {
  naive::attention_weights(q, k, shape, sequence, head, weights);
}

void append_to_cache(const AttentionCache& cache, std::span<const Index> slots,
                     std::span<const Index> positions, ConstMatrix keys, ConstMatrix values) {
  const Index K = cache.head_width;
  for (Index b = 0; b < keys.rows; ++b) {
    const Index slot = slots[b], at = cache.place(positions[b]);
    for (Index h = 0; h < cache.heads; ++h) {
      for (Index c = 0; c < K; ++c) {
        cache.keys_of(slot, h)[(at / 16 * K + c) * 16 + at % 16] = keys.row(b)[h * K + c];
        cache.values_of(slot, h)[at * cache.value_width() + c] = values.row(b)[h * K + c];
      }
    }
  }
}

void attention_over_cache(ConstMatrix q, const AttentionCache& cache, std::span<const Index> slots,
                          std::span<const Index> lengths, Real scale, Matrix out) {
  const Index K = cache.head_width;
  for (Index b = 0; b < q.rows; ++b) {
    const Index slot = slots[b], length = lengths[b],
                keys = cache.window > 0 ? std::min(length, cache.window) : length;
    for (Index h = 0; h < cache.heads; ++h) {
      std::vector<Real> k(keys * K), v(k.size());
      for (Index j = 0; j < keys; ++j) {
        const Index at = cache.place(length - keys + j);
        for (Index c = 0; c < K; ++c) {
          k[j * K + c] = cache.keys_of(slot, h)[(at / 16 * K + c) * 16 + at % 16];
          v[j * K + c] = cache.values_of(slot, h)[at * cache.value_width() + c];
        }
      }
      const Index offsets[] = {0, 1}, key_offsets[] = {0, keys};
      naive::attention(
          ConstMatrix(q.row(b) + h * K, 1, K, q.stride), ConstMatrix(k.data(), keys, K),
          ConstMatrix(v.data(), keys, K),
          {.query_offsets = offsets, .key_offsets = key_offsets, .head_width = K, .scale = scale},
          Matrix(out.row(b) + h * K, 1, K, out.stride), {});
    }
  }
}

}  // namespace kernels
#endif  // HEADWATER_DOUBLE

}  // namespace headwater
