// Plain arithmetic, which needs no form of its own for doubles, around the vector code of tanh. Each product
// and each sum is rounded.
#include "tensor/kernels/additive_attention/additive_attention.hpp"

#include <algorithm>
#include <array>

#include "support/math_functions.hpp"
#include "support/parallel.hpp"
#include "tensor/kernels/activation/activation.hpp"

namespace headwater::kernels {

namespace {

// A known number of columns becomes vectors; so many keys share a block's scores.
constexpr Index kColumns = 32, kKeys = 64;
using Columns = std::array<Real, kColumns>;

// Their sum: lanes 16 apart, then 8, 4, 2 and 1.
Real total(Columns x) {
  for (std::size_t half = kColumns / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) x[i] += x[i + half];
  }
  return x[0];
}

Real dot(const Real* a, const Real* b, Index count) {
  Columns sums{};
  Index c = 0;
  for (; c + kColumns <= count; c += kColumns) {
    for (std::size_t i = 0; i < kColumns; ++i)
      sums[i] += a[c + static_cast<Index>(i)] * b[c + static_cast<Index>(i)];
  }
  for (std::size_t i = 0; c < count; ++c, ++i) sums[i] += a[c] * b[c];
  return total(sums);
}

void add_scaled(Real factor, const Real* x, Index count, Real* to) {
  for (Index c = 0; c < count; ++c) to[c] += factor * x[c];
}

// tanh(q + k) of some keys and columns; columns that are not there are 0.
class Meeting {
 public:
  // q: of one query from the first column on; k: rows of keys.
  void compute(const Real* q, ConstMatrix k, Index first_column) {
    const Index count = std::min(kColumns, k.cols - first_column);
    for (Index j = 0; j < k.rows; ++j) {
      const Real* const key = k.row(j) + first_column;
      Columns& row = rows_[j];
      if (count < kColumns) row = {};
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) row[i] = q[i] + key[i];
    }
    const Matrix all(rows_[0].data(), k.rows, kColumns);
    activate(Activation::tanh, all, all);
  }
  const Columns& row(Index j) const { return rows_[j]; }

 private:
  std::array<Columns, kKeys> rows_;
};

// The score layer's columns from the first on, and 0.
Columns columns_of(const Real* score, Index first, Index width) {
  Columns columns{};
  std::copy_n(score + first, std::min(kColumns, width - first), columns.data());
  return columns;
}

void score_keys(const Real* q, ConstMatrix k, const Real* score, Meeting& meeting, Real* scores) {
  for (Index j = 0; j < k.rows; j += kKeys) {
    const ConstMatrix keys = k.rows_between(j, std::min(k.rows, j + kKeys));
    std::array<Columns, kKeys> sums;
    for (Index r = 0; r < keys.rows; ++r) sums[r] = {};
    for (Index c = 0; c < k.cols; c += kColumns) {
      meeting.compute(q + c, keys, c);
      const Columns factors = columns_of(score, c, k.cols);
      for (Index r = 0; r < keys.rows; ++r) {
        Columns& sum = sums[r];
        for (std::size_t i = 0; i < kColumns; ++i) sum[i] += factors[i] * meeting.row(r)[i];
      }
    }
    for (Index r = 0; r < keys.rows; ++r) scores[j + r] = total(sums[r]);
  }
}

// Scores become weights.
void softmax(Real* scores, Index count) {
  const Real most = *std::max_element(scores, scores + count);
  double sum = 0;
  for (Index first = 0; first < count; first += kKeys) {
    const std::size_t n = std::min(kKeys, count - first);
    std::array<double, kKeys> x;
    for (std::size_t i = 0; i < n; ++i)
      x[i] = std::max(-700.0,
                      static_cast<double>(scores[first + static_cast<Index>(i)]) - static_cast<double>(most));
    exponentials(std::span(x).first(n));
    for (std::size_t i = 0; i < n; ++i) {
      scores[first + static_cast<Index>(i)] = static_cast<Real>(x[i]);
      sum += x[i];
    }
  }
  for (Index j = 0; j < count; ++j) scores[j] = static_cast<Real>(static_cast<double>(scores[j]) / sum);
}

// body(sequence, first query, the query after the last, keys)
template <class Body>
void for_each_sequence(const AdditiveShape& shape, const Body& body) {
  parallel_for(shape.sequences(), [&](Index s) {
    const std::size_t at = s;
    body(s, shape.query_offsets[at], shape.query_offsets[at + 1]);
  });
}

template <class M>
M keys_of(const M& x, const AdditiveShape& shape, Index s) {
  const std::size_t at = s;
  return x.rows_between(shape.key_begins[at], shape.key_ends[at]);
}

void set_to_zero(Matrix x) {
  for (Index r = 0; r < x.rows; ++r) std::fill_n(x.row(r), x.cols, Real(0));
}

}  // namespace

void additive_attention(ConstMatrix q, ConstMatrix k, const Real* score, ConstMatrix values,
                        const AdditiveShape& shape, Matrix out, Matrix weights) {
  for_each_sequence(shape, [&](Index s, Index begin, Index end) {
    const ConstMatrix keys = keys_of(k, shape, s), held = keys_of(values, shape, s);
    Meeting meeting;
    for (Index i = begin; i < end; ++i) {
      std::fill_n(out.row(i), out.cols, Real(0));
      if (keys.rows == 0) continue;
      Real* const row = weights.row(i);
      score_keys(q.row(i), keys, score, meeting, row);
      softmax(row, keys.rows);
      for (Index j = 0; j < keys.rows; ++j) add_scaled(row[j], held.row(j), held.cols, out.row(i));
    }
  });
}

void additive_attention_backward(ConstMatrix q, ConstMatrix k, const Real* score, ConstMatrix values,
                                 const AdditiveShape& shape, ConstMatrix weights, ConstMatrix dout,
                                 const AdditiveGradients& to) {
  for_each_sequence(shape, [&](Index s, Index begin, Index end) {
    const ConstMatrix keys = keys_of(k, shape, s), held = keys_of(values, shape, s);
    const Matrix dk = keys_of(to.dk, shape, s), dvalues = keys_of(to.dvalues, shape, s);
    for (const Matrix& gradient :
         {dk, dvalues, to.dq.rows_between(begin, end), to.dscore.rows_between(begin, end)})
      set_to_zero(gradient);
    Meeting meeting;
    for (Index i = begin; i < end; ++i) {
      const Real* const weight = weights.row(i);
      Real* const ds = to.dscores.row(i);
      double mean = 0;  // Σ_j weight[j]·dweight[j]
      for (Index j = 0; j < keys.rows; ++j) {
        ds[j] = dot(dout.row(i), held.row(j), held.cols);
        mean += static_cast<double>(weight[j]) * static_cast<double>(ds[j]);
        add_scaled(weight[j], dout.row(i), held.cols, dvalues.row(j));
      }
      for (Index j = 0; j < keys.rows; ++j) ds[j] = weight[j] * (ds[j] - static_cast<Real>(mean));
      for (Index j = 0; j < keys.rows; j += kKeys) {
        const ConstMatrix part = keys.rows_between(j, std::min(keys.rows, j + kKeys));
        for (Index c = 0; c < k.cols; c += kColumns) {
          meeting.compute(q.row(i) + c, part, c);
          const Columns factors = columns_of(score, c, k.cols);
          const std::size_t count = std::min(kColumns, k.cols - c);
          Columns dq{}, dscore{};
          for (Index r = 0; r < part.rows; ++r) {
            const Columns& met = meeting.row(r);
            Columns slope;
            for (std::size_t a = 0; a < kColumns; ++a) {
              dscore[a] += ds[j + r] * met[a];
              slope[a] = ds[j + r] * factors[a] * (Real(1) - met[a] * met[a]);
              dq[a] += slope[a];
            }
            Real* const key = dk.row(j + r) + c;
            for (std::size_t a = 0; a < count; ++a) key[a] += slope[a];
          }
          for (std::size_t a = 0; a < count; ++a) {
            to.dq.row(i)[c + static_cast<Index>(a)] += dq[a];
            to.dscore.row(i)[c + static_cast<Index>(a)] += dscore[a];
          }
        }
      }
    }
  });
}

}  // namespace headwater::kernels
