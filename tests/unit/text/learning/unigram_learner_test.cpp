#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "error_text.hpp"
#include "support/parallel.hpp"
#include "text/learning/unigram_lattice.hpp"
#include "text/learning/unigram_learner.hpp"

namespace headwater {
namespace {

// Adds each cut's pieces, weighted by its probability.
void add_cuts(const std::map<std::string, std::size_t>& ids, const std::vector<LearnedPiece>& pieces,
              const std::string& text, double weight, std::vector<std::size_t>& path,
              std::vector<double>& counts, double& total) {
  if (text.empty()) {
    total += weight;
    for (const std::size_t id : path) counts[id] += weight;
    return;
  }
  for (std::size_t length = 1; length <= text.size(); ++length) {
    const auto found = ids.find(text.substr(0, length));
    if (found == ids.end()) continue;
    path.push_back(found->second);
    add_cuts(ids, pieces, text.substr(length), weight * std::exp(pieces[found->second].score), path, counts,
             total);
    path.pop_back();
  }
}

WordTable table_of(const std::vector<std::pair<std::string, std::uint64_t>>& words) {
  WordTable table;
  for (const auto& [word, count] : words) table.value(word) += count;
  return table;
}

bool are_equal(const std::vector<UnigramPiece>& a, const std::vector<UnigramPiece>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const UnigramPiece& x, const UnigramPiece& y) {
    return x.surface == y.surface && x.score == y.score;
  });
}

std::vector<std::pair<std::string, std::uint64_t>> some_words() {
  std::vector<std::pair<std::string, std::uint64_t>> words;
  const std::vector<std::string> stems = {"walk",
                                          "talk",
                                          "read",
                                          "paint",
                                          "climb",
                                          "jump",
                                          "help",
                                          "\xC3\xBC"
                                          "ben"};
  const std::vector<std::string> ends = {"", "s", "ed", "ing", "er"};
  std::uint64_t count = 3;
  for (const std::string& stem : stems) {
    for (const std::string& end : ends) words.emplace_back(stem + end, count = count * 7 % 23 + 1);
  }
  return words;
}

}  // namespace

TEST_CASE("expected counts are those of all cuts") {
  const std::vector<LearnedPiece> pieces = {{"a", -1.2},  {"b", -2.0},   {"c", -2.2}, {"ab", -1.9},
                                            {"bc", -2.5}, {"abc", -3.1}, {"ca", -2.7}};
  std::map<std::string, std::size_t> ids;
  for (std::size_t i = 0; i < pieces.size(); ++i) ids[pieces[i].surface] = i;
  const std::vector<LearnedWord> words = {{"abcabc", 3}, {"aabbcc", 1}, {"cab", 10}, {"a", 2}};
  std::vector<double> expected(pieces.size());
  for (const LearnedWord& word : words) {
    std::vector<double> counts(pieces.size());
    std::vector<std::size_t> path;
    double total = 0;
    add_cuts(ids, pieces, std::string(word.text), 1, path, counts, total);
    for (std::size_t i = 0; i < pieces.size(); ++i)
      expected[i] += counts[i] / total * static_cast<double>(word.count);
  }
  const UnigramLattice lattice(pieces);
  const std::vector<double> found = lattice.expected_counts(words);
  for (std::size_t i = 0; i < pieces.size(); ++i)
    CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-12));
  std::vector<std::int32_t> parts;
  lattice.second_best("abc", 5, parts);
  CHECK(parts == std::vector<std::int32_t>{4, 0});  // the last piece first
  lattice.second_best("a", 0, parts);
  CHECK(parts.empty());
}

TEST_CASE("a long text of rare characters has finite counts") {
  const std::vector<LearnedPiece> pieces = {{"a", -60}, {"b", -0.1}};
  const std::string text(1000, 'a');
  const std::vector<double> counts = UnigramLattice(pieces).expected_counts({{text, 2}});
  CHECK(counts[0] == doctest::Approx(2000));
  CHECK(counts[1] == 0);
}

TEST_CASE("learned pieces: the parts of words, whatever the order and the threads") {
  auto words = some_words();
  const UnigramLearnerSettings settings{.size = 50, .character_coverage = 1};
  const std::vector<UnigramPiece> pieces = learn_unigram(table_of(words), settings);
  CHECK(pieces.size() == 50);
  CHECK(pieces[0].surface == "<unk>");
  CHECK(pieces[0].kind == PieceKind::hidden);
  for (std::size_t i = 2; i < pieces.size(); ++i) CHECK(pieces[i - 1].score >= pieces[i].score);
  const auto has = [&](const std::string& surface) {
    return std::any_of(pieces.begin(), pieces.end(),
                       [&](const UnigramPiece& piece) { return piece.surface == surface; });
  };
  for (const char* surface : {"walk", "paint", "jump", "\xC3\xBC", "w"}) CHECK(has(surface));

  std::reverse(words.begin(), words.end());
  CHECK(are_equal(pieces, learn_unigram(table_of(words), settings)));
  for (const int threads : {1, 3}) {
    std::vector<UnigramPiece> again;
    ThreadPool(threads).run([&] { again = learn_unigram(table_of(words), settings); });
    CHECK(are_equal(pieces, again));
  }
}

TEST_CASE("learning: rare characters, small sizes and empty texts") {
  auto words = some_words();
  words.emplace_back("\xE2\x82\xAC", 1);
  const std::vector<UnigramPiece> pieces =
      learn_unigram(table_of(words), {.size = 30, .character_coverage = 0.99});
  CHECK(std::none_of(pieces.begin(), pieces.end(),
                     [](const UnigramPiece& piece) { return piece.surface == "\xE2\x82\xAC"; }));
  CHECK(error_text([&] {
          (void)learn_unigram(table_of(words), {.size = 5});
        }).starts_with("size: 5 is less than the "));
  CHECK(error_text([] { (void)learn_unigram(WordTable(), {}); }) ==
        "no tokens to learn from (the input is empty)");
  CHECK(learn_unigram(table_of({{"a", 1}}), {.size = 100}).size() == 2);
}

}  // namespace headwater
