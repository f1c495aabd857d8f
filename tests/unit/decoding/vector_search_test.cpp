// The nearest of many vectors: as a search by cosine() alone finds them, for any blocks and threads.
#include "decoding/vector_search.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "decoding/embed.hpp"
#include "support/parallel.hpp"
#include "support/random.hpp"

using namespace headwater;

namespace {

using Matches = std::vector<std::vector<VectorSearch::Match>>;

// Numbers around 0; every seventh row is that seven before it, and every fiftieth is zero.
std::vector<Real> made_rows(Index rows, Index width, std::uint32_t seed) {
  std::vector<Real> values;
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < width; ++c) {
      const std::size_t at = r * width + c;
      const std::uint32_t word = random_word({.seed = seed, .purpose = Purpose::split}, at);
      Real value = static_cast<Real>(word % 2001) / 1000 - 1;
      if (r % 7 == 0 && r >= 7) value = 3 * values[at - static_cast<std::size_t>(7 * width)];
      values.push_back(r % 50 == 3 ? 0 : value);
    }
  }
  return values;
}

bool is_before(const VectorSearch::Match& a, const VectorSearch::Match& b) {
  return a.cosine != b.cosine ? a.cosine > b.cosine : a.row < b.row;
}

struct Naive {
  std::vector<Real> rows;
  Index width;
  std::span<const Real> row(Index i) const {
    return {rows.data() + i * width, static_cast<std::size_t>(width)};
  }
  std::vector<VectorSearch::Match> of(std::span<const Real> query, Index first) const {
    std::vector<VectorSearch::Match> all;
    for (Index i = first; i < static_cast<Index>(rows.size()) / width; ++i)
      all.push_back({i, cosine(query, row(i))});
    std::sort(all.begin(), all.end(), is_before);
    return all;
  }
};

}  // namespace

TEST_CASE("the nearest rows are those of all cosines, ties by row") {
  for (const Index width : {1, 8, 33}) {
    constexpr Index kRows = 5000, kQueries = 300;
    std::vector<Real> values = made_rows(kRows, width, 1), queries = made_rows(kQueries, width, 2);
    std::copy_n(values.begin(), width, queries.begin());
    VectorSearch search(width);
    search.add({values.data(), 10, width});
    search.add({values.data() + 10 * width, kRows - 10, width});
    REQUIRE(search.size() == kRows);
    normalize_rows({values.data(), kRows, width});
    const Naive naive{values, width};
    const ConstMatrix asked(queries.data(), kQueries, width);
    for (const Index count : {Index{1}, Index{20}, Index{6000}}) {
      INFO("width ", width, ", the nearest ", count);
      Matches found;
      ThreadPool(2).run([&] { found = search.nearest(asked, count); });
      REQUIRE(found.size() == kQueries);
      for (Index q = 0; q<kQueries; q += count> 100 ? 60 : 7) {
        std::vector<VectorSearch::Match> expected =
            naive.of({asked.row(q), static_cast<std::size_t>(width)}, 0);
        expected.resize(std::min<std::size_t>(expected.size(), static_cast<std::size_t>(count)));
        CHECK(found[q] == expected);
      }
      Matches alone;
      ThreadPool(1).run([&] { alone = search.nearest(asked.rows_between(70, 71), count); });
      CHECK(alone.front() == found[70]);
    }
  }
}

TEST_CASE("pairs of rows are all whose cosine is large enough, each once") {
  constexpr Index kRows = 900, kWidth = 8;
  std::vector<Real> values = made_rows(kRows, kWidth, 3);
  VectorSearch search(kWidth);
  search.add({values.data(), kRows, kWidth});
  normalize_rows({values.data(), kRows, kWidth});
  const Naive naive{values, kWidth};
  for (const double least : {-1.0, 0.0, 0.8, 0.9999999}) {
    INFO("at least ", least);
    Matches found;
    ThreadPool(2).run([&] { found = search.pairs(100, 164, least); });
    REQUIRE(found.size() == 64);
    for (Index i = 0; i < 64; ++i) {
      std::vector<VectorSearch::Match> expected = naive.of(naive.row(100 + i), 101 + i);
      std::erase_if(expected, [&](const VectorSearch::Match& match) { return !(match.cosine >= least); });
      CHECK(found[i] == expected);
    }
  }
}
