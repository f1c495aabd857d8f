// IBM Model 1 against its equations, written with dense tables of doubles.
#include "data/word_translations.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "support/parallel.hpp"
#include "support/random.hpp"

using namespace headwater;

namespace {

using Ids = std::vector<std::int32_t>;
using Pairs = std::vector<std::pair<Ids, Ids>>;

// t(f|e) as Brown et al. have it: the empty word is source `sources`.
std::vector<std::vector<double>> naive_model_1(const Pairs& pairs, std::size_t sources, std::size_t targets,
                                               int iterations) {
  std::vector<std::vector<double>> t(sources + 1, std::vector<double>(targets, 1.0));
  for (int iteration = 0; iteration < iterations; ++iteration) {
    std::vector<std::vector<double>> counts(sources + 1, std::vector<double>(targets));
    for (const auto& [source, target] : pairs) {
      Ids all = source;
      all.push_back(static_cast<std::int32_t>(sources));
      for (const std::int32_t f : target) {
        double sum = 0;
        for (const std::int32_t e : all) sum += t[e][f];
        for (const std::int32_t e : all) counts[e][f] += t[e][f] / sum;
      }
    }
    for (std::size_t e = 0; e <= sources; ++e) {
      double total = 0;
      for (const double count : counts[e]) total += count;
      for (std::size_t f = 0; f < targets && total > 0; ++f) t[e][f] = counts[e][f] / total;
    }
  }
  return t;
}

// Token s becomes s + 1 most often; 2 stands in most sentences, on both sides; some tokens occur twice.
Pairs made_pairs(std::size_t count, std::int32_t tokens) {
  Pairs pairs;
  std::uint64_t drawn = 0;
  const auto below = [&](std::int32_t bound) {
    return static_cast<std::int32_t>(random_below({.seed = 3}, drawn++, static_cast<std::uint64_t>(bound)));
  };
  for (std::size_t i = 0; i < count; ++i) {
    Ids source, target;
    const std::int32_t length = 1 + below(7);
    for (std::int32_t at = 0; at < length; ++at) {
      const std::int32_t token = below(tokens - 1);
      source.push_back(below(3) == 0 ? 2 : token);
      target.push_back(below(4) == 0 ? 2 : token + 1);
    }
    std::ranges::reverse(target);
    pairs.emplace_back(source, target);
  }
  return pairs;
}

WordTranslations learned(const Pairs& pairs, std::int64_t sources, std::int64_t targets,
                         std::int64_t iterations, int threads) {
  WordTranslations words(sources, targets);
  for (const auto& [source, target] : pairs) words.add(source, target);
  ThreadPool(threads).run([&] { words.learn(iterations); });
  return words;
}

}  // namespace

TEST_CASE("word translations: the probabilities of Model 1, in rows with few and with many target tokens") {
  for (const std::int32_t tokens : {12, 400}) {  // of which a token meets more, or less, than a quarter
    const Pairs pairs = made_pairs(300, tokens);
    for (const int iterations : {1, 2, 5}) {
      INFO(tokens, " tokens, ", iterations, " iterations");
      const auto wanted = naive_model_1(pairs, static_cast<std::size_t>(tokens) + 3,
                                        static_cast<std::size_t>(tokens), iterations);
      const WordTranslations words = learned(pairs, tokens + 3, tokens, iterations, 2);
      REQUIRE(words.empty_word() == tokens + 3);
      for (std::int64_t e = 0; e <= words.empty_word(); ++e) {
        std::vector<double> row(tokens);
        std::int32_t last = -1;
        for (const WordTranslations::Candidate& one : words.of(e)) {
          REQUIRE(one.target > last);
          last = one.target;
          row[one.target] = static_cast<double>(one.probability);
        }
        const bool occurs = last >= 0;
        for (std::size_t f = 0; f < row.size() && occurs; ++f)
          CHECK(row[f] == doctest::Approx(wanted[e][f]).epsilon(1e-5).scale(1e-6));
      }
      CHECK(words.of(tokens).empty());  // a token without a sentence
    }
  }
}

TEST_CASE("word translations: what a token becomes most often is the first of its best") {
  const WordTranslations words = learned(made_pairs(3000, 30), 30, 30, 5, 1);
  for (std::int32_t token = 4; token < 29; ++token) CHECK(words.best_of(token, 1) == Ids{token + 1});
  CHECK(words.best_of(5, 1000).size() == words.of(5).size());
  CHECK(words.best_of(5, 0).empty());
  CHECK(words.best_of(words.empty_word(), 1) == Ids{2});
}

TEST_CASE("word translations: of equals the smaller ids are taken") {
  WordTranslations words(2, 9);
  words.add(Ids{0}, Ids{7, 3, 5, 1});
  words.add(Ids{1}, Ids{});
  words.learn(3);
  CHECK(words.best_of(0, 3) == Ids{1, 3, 5});
  CHECK(words.of(1).empty());
}

TEST_CASE("word translations: the same bits with any number of threads") {
  const Pairs pairs = made_pairs(2000, 200);
  const WordTranslations one = learned(pairs, 200, 200, 5, 1), four = learned(pairs, 200, 200, 5, 4);
  for (std::int64_t e = 0; e <= one.empty_word(); ++e) {
    const auto a = one.of(e), b = four.of(e);
    REQUIRE(a.size() == b.size());
    CHECK(std::ranges::equal(a, b, [](const auto& x, const auto& y) {
      return x.target == y.target && std::memcmp(&x.probability, &y.probability, sizeof(float)) == 0;
    }));
  }
}
