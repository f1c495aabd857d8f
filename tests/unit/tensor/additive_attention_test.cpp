// Additive attention against its definition, on every code path, in parts of a batch.
#include "tensor/kernels/additive_attention/additive_attention.hpp"

#include <cmath>
#include <vector>

#include "unit/tensor/kernel_testing.hpp"

namespace headwater {
namespace {

using namespace testing;  // NOLINT: the tests' own helpers

struct Meetings {
  std::vector<Index> query_offsets, key_offsets;
  Grid<float> q, k, score, values, dout;
  Meetings(const std::vector<Index>& queries, const std::vector<Index>& keys, Index hidden, Index width)
      : query_offsets(offsets_of(queries)),
        key_offsets(offsets_of(keys)),
        q(random_grid(query_offsets.back(), hidden, 1, 1)),
        k(random_grid(key_offsets.back(), hidden, 2, 2)),
        score(random_grid(1, hidden, 3)),
        values(random_grid(key_offsets.back(), width, 4, 1)),
        dout(random_grid(query_offsets.back(), width, 5, 3)) {}
  kernels::AdditiveShape shape() const {
    const std::span<const Index> keys(key_offsets);
    return {query_offsets, keys.first(keys.size() - 1), keys.subspan(1)};
  }
  Index most_keys() const {
    Index most = 0;
    for (std::size_t s = 0; s + 1 < key_offsets.size(); ++s)
      most = std::max(most, key_offsets[s + 1] - key_offsets[s]);
    return most;
  }
};

struct Found {
  Grid<float> out, weights, dq, dk, dvalues, dscore;
  std::vector<Grid<float>> all() const { return {out, weights, dq, dk, dvalues, dscore}; }
};

Found find(const Meetings& m) {
  const Index queries = m.q.rows, keys = m.k.rows, hidden = m.q.cols, width = m.values.cols;
  Found f{Grid<float>(queries, width, 1),  Grid<float>(queries, m.most_keys()),
          Grid<float>(queries, hidden, 2), Grid<float>(keys, hidden, 1),
          Grid<float>(keys, width, 3),     Grid<float>(queries, hidden)};
  Grid<float> scratch(queries, m.most_keys());
  kernels::additive_attention(m.q.view(), m.k.view(), m.score.view().data, m.values.view(), m.shape(),
                              f.out.view(), f.weights.view());
  kernels::additive_attention_backward(
      m.q.view(), m.k.view(), m.score.view().data, m.values.view(), m.shape(), f.weights.view(),
      m.dout.view(), {f.dq.view(), f.dk.view(), f.dvalues.view(), f.dscore.view(), scratch.view()});
  return f;
}

// By its equations, in double.
struct Defined {
  Grid<double> out, weights, dq, dk, dvalues, dscore;
};
Defined define(const Meetings& m) {
  const Index hidden = m.q.cols, width = m.values.cols;
  Defined d{Grid<double>(m.q.rows, width),  Grid<double>(m.q.rows, m.most_keys()),
            Grid<double>(m.q.rows, hidden), Grid<double>(m.k.rows, hidden),
            Grid<double>(m.k.rows, width),  Grid<double>(m.q.rows, hidden)};
  const auto at = [](const Grid<float>& grid, Index row, Index column) {
    return static_cast<double>(grid.view().row(row)[column]);
  };
  for (std::size_t s = 0; s + 1 < m.query_offsets.size(); ++s) {
    const Index first = m.key_offsets[s], keys = m.key_offsets[s + 1] - first;
    for (Index i = m.query_offsets[s]; i < m.query_offsets[s + 1]; ++i) {
      double* const w = d.weights.view().row(i);
      double sum = 0, mean = 0;
      for (Index j = 0; j < keys; ++j) {
        for (Index a = 0; a < hidden; ++a)
          w[j] += at(m.score, 0, a) * std::tanh(at(m.q, i, a) + at(m.k, first + j, a));
        w[j] = std::exp(w[j]);
        sum += w[j];
      }
      std::vector<double> dw(keys);
      for (Index j = 0; j < keys; ++j) {
        w[j] /= sum;
        for (Index c = 0; c < width; ++c) {
          d.out.view().row(i)[c] += w[j] * at(m.values, first + j, c);
          d.dvalues.view().row(first + j)[c] += w[j] * at(m.dout, i, c);
          dw[j] += at(m.dout, i, c) * at(m.values, first + j, c);
        }
        mean += w[j] * dw[j];
      }
      for (Index j = 0; j < keys; ++j) {
        const double ds = w[j] * (dw[j] - mean);
        for (Index a = 0; a < hidden; ++a) {
          const double met = std::tanh(at(m.q, i, a) + at(m.k, first + j, a)),
                       slope = ds * at(m.score, 0, a) * (1 - met * met);
          d.dscore.view().row(i)[a] += ds * met;
          d.dq.view().row(i)[a] += slope;
          d.dk.view().row(first + j)[a] += slope;
        }
      }
    }
  }
  return d;
}

const std::vector<Index> kQueryLengths{3, 0, 1, 70, 5}, kHeldLengths{4, 2, 1, 66, 0};

}  // namespace

TEST_CASE("additive attention: forward and backward as defined") {
  for (const auto& [hidden, width] : {std::pair<Index, Index>{1, 3}, {7, 32}, {32, 5}, {70, 33}}) {
    INFO("hidden ", hidden, ", width ", width);
    const Meetings m(kQueryLengths, kHeldLengths, hidden, width);
    const Found found = find(m);
    const Defined defined = define(m);
    CHECK(worst_error(found.out, defined.out) <= 64);
    CHECK(worst_error(found.weights, defined.weights) <= 64);
    CHECK(worst_error(found.dq, defined.dq) <= 256);
    CHECK(worst_error(found.dk, defined.dk) <= 256);
    CHECK(worst_error(found.dvalues, defined.dvalues) <= 256);
    CHECK(worst_error(found.dscore, defined.dscore) <= 256);
    for (const Grid<float>& grid : found.all()) CHECK(grid.has_intact_gaps());
  }
}

TEST_CASE("additive attention: the same bits on every code path and for any number of threads") {
  const Meetings m(kQueryLengths, kHeldLengths, 70, 33);
  check_same_bits_everywhere([&] { return find(m).all(); });
}

TEST_CASE("additive attention: queries one by one, of keys that they share, have the bits of all") {
  const Meetings m(kQueryLengths, kHeldLengths, 40, 24);
  const Found together = find(m);
  for (std::size_t s = 0; s < kQueryLengths.size(); ++s) {
    for (Index i = m.query_offsets[s]; i < m.query_offsets[s + 1]; ++i) {
      const Index offsets[] = {0, 1}, begin = m.key_offsets[s], end = m.key_offsets[s + 1];
      Grid<float> out(1, 24), weights(1, m.most_keys());
      kernels::additive_attention(m.q.view().rows_between(i, i + 1), m.k.view(), m.score.view().data,
                                  m.values.view(), {offsets, {&begin, 1}, {&end, 1}}, out.view(),
                                  weights.view());
      CHECK(std::equal(out.values.begin(), out.values.end(), together.out.view().row(i)));
    }
  }
}

}  // namespace headwater
