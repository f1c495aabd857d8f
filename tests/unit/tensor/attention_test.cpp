#include "unit/tensor/kernel_testing.hpp"

#include "tensor/kernels/naive.hpp"

namespace headwater {
namespace {

using namespace testing;  // NOLINT: the tests' own helpers

struct Problem {
  std::vector<Index> query_lengths, key_lengths;
  Index heads, head_width;
  bool is_causal = false;
  Real dropout = 0;
  Index gap = 0;
  float amplitude = 1;
  Index window = 0;
};

// Inputs of a problem, packed.
struct Setup {
  explicit Setup(const Problem& p)
      : query_offsets(offsets_of(p.query_lengths)),
        key_offsets(offsets_of(p.key_lengths)),
        q(random_grid(query_offsets.back(), p.heads * p.head_width, 1, p.gap, p.amplitude)),
        k(random_grid(key_offsets.back(), p.heads * p.head_width, 2, p.gap, p.amplitude)),
        v(random_grid(key_offsets.back(), p.heads * p.head_width, 3, p.gap)),
        dout(random_grid(query_offsets.back(), p.heads * p.head_width, 4, p.gap)),
        shape{.query_offsets = query_offsets,
              .key_offsets = key_offsets,
              .heads = p.heads,
              .head_width = p.head_width,
              .scale = 1 / std::sqrt(static_cast<Real>(p.head_width)),
              .is_causal = p.is_causal,
              .window = p.window,
              .dropout = p.dropout,
              .stream = {.seed = 5, .purpose = Purpose::attention_dropout, .layer = 3, .step = 17}},
        gap(p.gap) {}
  std::vector<Index> query_offsets, key_offsets;
  Grid<float> q, k, v, dout;
  kernels::AttentionShape shape;
  Index gap;
};

struct Results {
  Grid<float> out, stats, dq, dk, dv;
  std::vector<Grid<float>> all() const { return {out, stats, dq, dk, dv}; }
};

Results run(const Setup& s) {
  const Index tq = s.q.rows, tk = s.k.rows, width = s.q.cols;
  const float unset = std::numeric_limits<float>::quiet_NaN();
  Results r{Grid<float>(tq, width, s.gap, unset), Grid<float>(tq, 2 * s.shape.heads, 0, unset),
            Grid<float>(tq, width, s.gap, unset), Grid<float>(tk, width, s.gap, unset),
            Grid<float>(tk, width, s.gap, unset)};
  kernels::attention(s.q.view(), s.k.view(), s.v.view(), s.shape, r.out.view(), r.stats.view());
  kernels::attention_backward(s.q.view(), s.k.view(), s.v.view(), r.out.view(), r.stats.view(), s.dout.view(),
                              s.shape, r.dq.view(), r.dk.view(), r.dv.view());
  return r;
}

const std::vector<Index> kLengths(std::begin(kSizes), std::end(kSizes));
const std::vector<Index> kOtherLengths(kLengths.rbegin(), kLengths.rend());

std::vector<Problem> problems() {
  std::vector<Problem> all;
  for (bool is_causal : {false, true}) {
    for (Real dropout : {Real(0), Real(0.3)}) {
      for (const std::vector<Index>& keys : {kLengths, kOtherLengths}) {
        for (Index head_width : {1, 7, 16, 17, 32, 64}) {
          all.push_back({kLengths, keys, 1 + head_width % 3, head_width, is_causal, dropout, head_width % 5});
        }
      }
    }
    all.push_back({{3, 9, 70}, {3, 9, 70}, 2, 256, is_causal, 0, 0});
    // More keys than are worked on together, which are fewer in wider heads.
    all.push_back({{250, 90}, {250, 260}, 1, 24, is_causal, 0.2f, 1});
    all.push_back({{40, 150}, {150, 150}, 1, 100, is_causal, 0.1f, 0});
    // Scores of up to about 400: the running maximum moves, some weights vanish.
    all.push_back({{140, 70}, {140, 70}, 1, 16, is_causal, 0, 0, 20});
    // Windows smaller than a block of queries, than a tile and than a span of keys, and larger ones.
    for (const Index window : {1, 5, 13, 64, 65, 200}) {
      const std::vector<Index> lengths{1, 30, 0, 64, 67, window < 65 ? 150 : 250};
      all.push_back({lengths, lengths, 1, 16 + window % 3, is_causal, Real(0.2), 1, 1, window});
    }
    all.push_back({{150, 40}, {150, 40}, 2, 130, is_causal, 0, 0, 1, 20});
    all.push_back({{40, 150, 9}, {150, 150, 2}, 1, 24, is_causal, 0.1f, 0, 1, 20});
    all.push_back({{150, 9}, {100, 2}, 1, 24, is_causal, 0, 0, 1, 20});
  }
  return all;
}

}  // namespace

TEST_CASE("attention: forward and backward agree with the naive kernel in double") {
  for (const Problem& p : problems()) {
    INFO("heads ", p.heads, ", head width ", p.head_width, ", causal ", p.is_causal, ", dropout ", p.dropout,
         ", amplitude ", p.amplitude, ", window ", p.window);
    const Setup s(p);
    const Results r = run(s);
    const Grid<double> q = widened(s.q), k = widened(s.k), v = widened(s.v), dout = widened(s.dout);
    Grid<double> out(q.rows, q.cols), stats(q.rows, 2 * p.heads), dq(q.rows, q.cols), dk(k.rows, k.cols),
        dv(k.rows, k.cols);
    naive::attention(q.view(), k.view(), v.view(), s.shape, out.view(), stats.view());
    naive::attention_backward(q.view(), k.view(), v.view(), dout.view(), s.shape, dq.view(), dk.view(),
                              dv.view());
    // The scores' rounding, about their magnitude, is a relative error of the weights.
    const double scores = 1 + p.amplitude * p.amplitude * std::sqrt(static_cast<double>(p.head_width)) / 2;
    CHECK(worst_error(r.out, out) <= 8 * scores);
    CHECK(worst_error(r.stats, stats) <= 8 * scores);
    CHECK(worst_error(r.dq, dq) <= 16 * scores * p.amplitude);
    CHECK(worst_error(r.dk, dk) <= 16 * scores * p.amplitude);
    CHECK(worst_error(r.dv, dv) <= 16 * scores);
    for (const Grid<float>& grid : r.all()) CHECK(grid.has_intact_gaps());
  }
}

TEST_CASE("attention: the same bits on every code path and for any number of threads") {
  for (const Problem& p : problems()) {
    INFO("heads ", p.heads, ", head width ", p.head_width, ", causal ", p.is_causal, ", dropout ", p.dropout,
         ", window ", p.window);
    const Setup s(p);
    check_same_bits_everywhere([&] { return run(s).all(); });
  }
}

TEST_CASE("attention: a sequence alone has the bits it has in a batch") {
  for (bool is_causal : {false, true}) {
    const Setup batch({kLengths, kOtherLengths, 2, 24, is_causal});
    const Results together = run(batch);
    for (std::size_t s = 0; s < kLengths.size(); ++s) {
      Setup alone({{kLengths[s]}, {kOtherLengths[s]}, 2, 24, is_causal});
      const auto take = [&](Grid<float>& to, const Grid<float>& from, Index first) {
        for (Index r = 0; r < to.rows; ++r)
          std::copy_n(from.view().row(first + r), to.cols, to.view().row(r));
      };
      take(alone.q, batch.q, batch.query_offsets[s]);
      take(alone.k, batch.k, batch.key_offsets[s]);
      take(alone.v, batch.v, batch.key_offsets[s]);
      take(alone.dout, batch.dout, batch.query_offsets[s]);
      const Results single = run(alone);
      Results expected = single;
      take(expected.out, together.out, batch.query_offsets[s]);
      take(expected.dq, together.dq, batch.query_offsets[s]);
      take(expected.dk, together.dk, batch.key_offsets[s]);
      take(expected.dv, together.dv, batch.key_offsets[s]);
      CHECK(same_bits(single.out, expected.out));
      CHECK(same_bits(single.dq, expected.dq));
      CHECK(same_bits(single.dk, expected.dk));
      CHECK(same_bits(single.dv, expected.dv));
    }
  }
}

// Rows on cache lines.
struct AlignedGrid {
  AlignedGrid(Index r, Index c) : values(static_cast<std::size_t>(r * c + 16), 7.0f), rows(r), cols(c) {}
  Matrix view() {
    const std::size_t place = reinterpret_cast<std::uintptr_t>(values.data()) % 64 / sizeof(float);
    return Matrix(values.data() + (16 - place) % 16, rows, cols);
  }
  std::vector<float> values;
  Index rows, cols;
};

TEST_CASE("attention: results too large for the caches have the bits of small ones") {
  constexpr Index kSequences = 64, kLength = 72, kHeads = 8, kWidth = 64, kTokens = kSequences * kLength;
  for (bool is_causal : {false, true}) {
    const Setup batch({std::vector<Index>(kSequences, kLength), std::vector<Index>(kSequences, kLength),
                       kHeads, kWidth, is_causal});
    AlignedGrid out(kTokens, kHeads * kWidth), stats(kTokens, 2 * kHeads), dq(kTokens, kHeads * kWidth),
        dk(kTokens, kHeads * kWidth), dv(kTokens, kHeads * kWidth);
    kernels::attention(batch.q.view(), batch.k.view(), batch.v.view(), batch.shape, out.view(), stats.view());
    kernels::attention_backward(batch.q.view(), batch.k.view(), batch.v.view(), out.view(), stats.view(),
                                batch.dout.view(), batch.shape, dq.view(), dk.view(), dv.view());
    for (const Index s : {Index{0}, Index{31}, kSequences - 1}) {
      Setup alone({{kLength}, {kLength}, kHeads, kWidth, is_causal});
      const auto take = [&](Grid<float>& to, const ConstMatrix& from) {
        for (Index r = 0; r < to.rows; ++r) std::copy_n(from.row(s * kLength + r), to.cols, to.view().row(r));
      };
      take(alone.q, batch.q.view());
      take(alone.k, batch.k.view());
      take(alone.v, batch.v.view());
      take(alone.dout, batch.dout.view());
      const Results single = run(alone);
      Results expected = single;
      take(expected.out, out.view());
      take(expected.dq, dq.view());
      take(expected.dk, dk.view());
      take(expected.dv, dv.view());
      CHECK(same_bits(single.out, expected.out));
      CHECK(same_bits(single.dq, expected.dq));
      CHECK(same_bits(single.dk, expected.dk));
      CHECK(same_bits(single.dv, expected.dv));
    }
  }
}

TEST_CASE("attention: a window as long as the sequence has the bits of none") {
  for (bool is_causal : {false, true}) {
    const std::vector<Index> lengths{1, 63, 64, 200};
    const Results all = run(Setup({lengths, lengths, 2, 24, is_causal, Real(0.2)})),
                  window = run(Setup({lengths, lengths, 2, 24, is_causal, Real(0.2), 0, 1, 200}));
    for (std::size_t i = 0; i < all.all().size(); ++i) CHECK(same_bits(all.all()[i], window.all()[i]));
  }
}

TEST_CASE("attention: weights agree with the naive kernel, rows sum to 1, masked ones are 0") {
  for (const auto& [is_causal, window] :
       {std::pair<bool, Index>{false, 0}, {true, 0}, {false, 9}, {true, 70}}) {
    const Setup s({kLengths, kOtherLengths, 3, 20, is_causal, 0, 0, 3, window});
    const Grid<double> q = widened(s.q), k = widened(s.k);
    for (Index sequence = 0; sequence < s.shape.sequences(); ++sequence) {
      const Index queries = s.shape.query_length(sequence), keys = s.shape.key_length(sequence);
      Grid<float> weights(queries, keys, 2, std::numeric_limits<float>::quiet_NaN());
      Grid<double> expected(queries, keys);
      kernels::attention_weights(s.q.view(), s.k.view(), s.shape, sequence, 2, weights.view());
      naive::attention_weights(q.view(), k.view(), s.shape, sequence, 2, expected.view());
      CHECK(worst_error(weights, expected) <= 64);
      CHECK(weights.has_intact_gaps());
      for (Index i = 0; i < queries; ++i) {
        const Index visible = naive::visible_keys(s.shape, sequence, i),
                    first = naive::first_visible_key(s.shape, sequence, i);
        double sum = 0;
        for (Index j = 0; j < keys; ++j) {
          sum += static_cast<double>(weights.view().row(i)[j]);
          if (j < first || j >= visible) CHECK(weights.view().row(i)[j] == 0);
        }
        if (visible > first) CHECK(std::abs(sum - 1) <= 1e-5);
      }
    }
  }
}

TEST_CASE("attention: the worked example of three queries over four keys") {
  const float q[] = {0, 10, 0, 0, 0, 10, 10, 10, 0};
  const float k[] = {10, 0, 0, 0, 10, 0, 0, 0, 10, 0, 0, 10};
  const float v[] = {1, 0, 0, 10, 0, 0, 100, 5, 0, 1000, 6, 0};
  const std::vector<Index> queries{0, 3}, keys{0, 4};
  const kernels::AttentionShape shape{.query_offsets = queries,
                                      .key_offsets = keys,
                                      .heads = 1,
                                      .head_width = 3,
                                      .scale = 1 / std::sqrt(3.0f)};
  Grid<float> out(3, 3), weights(3, 4);
  kernels::attention({q, 3, 3}, {k, 4, 3}, {v, 4, 3}, shape, out.view(), {});
  kernels::attention_weights({q, 3, 3}, {k, 4, 3}, shape, 0, 0, weights.view());
  const float expected_out[] = {10, 0, 0, 550, 5.5f, 0, 5.5f, 0, 0};
  const float expected_weights[] = {0, 1, 0, 0, 0, 0, 0.5f, 0.5f, 0.5f, 0.5f, 0, 0};
  for (std::size_t i = 0; i < 9; ++i) CHECK(std::abs(out.values[i] - expected_out[i]) <= 1e-4f);
  for (std::size_t i = 0; i < 12; ++i) CHECK(std::abs(weights.values[i] - expected_weights[i]) <= 1e-6f);
}

TEST_CASE("attention: dropout keeps about its share and leaves the statistics alone") {
  Setup s({{200}, {200}, 2, 8, false, Real(0.25)});
  const Results dropped = run(s);
  // With equal values in every row of v the output is the share of kept weights, scaled.
  for (float& value : s.v.values) value = 1;
  const Results ones = run(s);
  double mean = 0;
  for (float value : ones.out.values)
    mean += static_cast<double>(value) / static_cast<double>(ones.out.values.size());
  CHECK(std::abs(mean - 1) <= 0.02);
  s.shape.dropout = 0;
  CHECK(same_bits(run(s).stats, dropped.stats));
}

}  // namespace headwater
