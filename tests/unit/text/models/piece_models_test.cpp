#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>

#include "support/error.hpp"
#include "text/models/piece_trie.hpp"
#include "text/models/unigram.hpp"
#include "text/models/word_piece.hpp"

namespace headwater {
namespace {

using Ids = std::vector<std::int32_t>;

std::string random_word(const RandomStream& stream, std::uint64_t& at, std::string_view letters,
                        std::size_t longest) {
  std::string word;
  const std::size_t length = 1 + random_word(stream, at++) % longest;
  while (word.size() < length) word += letters[random_word(stream, at++) % letters.size()];
  return word;
}

// Longest match from the left, one substring after another.
Ids naive_word_piece(const std::vector<std::string>& surfaces, const std::string& word) {
  Ids ids;
  for (std::size_t begin = 0; begin < word.size();) {
    std::size_t end = word.size();
    std::int32_t found = -1;
    for (; end > begin && found < 0; --end) {
      const std::string piece = (begin > 0 ? "##" : "") + word.substr(begin, end - begin);
      const auto at = std::find(surfaces.begin(), surfaces.end(), piece);
      if (at != surfaces.end()) found = static_cast<std::int32_t>(at - surfaces.begin());
    }
    if (found < 0) return {0};
    ids.push_back(found);
    begin = end + 1;
  }
  return ids;
}

struct Cut {
  double score = 0;
  Ids ids;
};

// All cuts of a text.
std::vector<Cut> all_cuts(const std::map<std::string, std::pair<std::int32_t, double>>& pieces,
                          double unknown_score, const std::string& text) {
  if (text.empty()) return {Cut{}};
  std::vector<Cut> cuts;
  const auto add = [&](std::size_t length, std::int32_t id, double score) {
    for (Cut cut : all_cuts(pieces, unknown_score, text.substr(length))) {
      cut.score += score;
      cut.ids.insert(cut.ids.begin(), id);
      cuts.push_back(std::move(cut));
    }
  };
  bool has_one = false;
  for (std::size_t length = 1; length <= text.size(); ++length) {
    const auto found = pieces.find(text.substr(0, length));
    if (found == pieces.end()) continue;
    has_one = has_one || length == 1;
    add(length, found->second.first, found->second.second);
  }
  if (!has_one) add(1, 0, unknown_score);
  return cuts;
}

// Unknown characters in a row are one token.
Ids fused(const Ids& ids) {
  Ids out;
  for (const std::int32_t id : ids) {
    if (id != 0 || out.empty() || out.back() != 0) out.push_back(id);
  }
  return out;
}

}  // namespace

TEST_CASE("a trie finds the keys that were put in, and no others") {
  const RandomStream stream{.seed = 3, .purpose = Purpose::sample};
  std::uint64_t at = 0;
  for (const std::string_view letters : {std::string_view("ab"), std::string_view("\x01\xFF\x80zq", 5)}) {
    std::map<std::string, std::int32_t> keys;
    for (int i = 0; i < 2000; ++i)
      keys.emplace(random_word(stream, at, letters, 12), static_cast<std::int32_t>(i));
    std::vector<PieceTrie::Key> list;
    for (const auto& [bytes, value] : keys) list.push_back({bytes, value});
    const PieceTrie trie(list);
    for (int i = 0; i < 2000; ++i) {
      const std::string text = random_word(stream, at, letters, 14);
      std::map<std::size_t, std::int32_t> wanted, found;
      for (std::size_t length = 1; length <= text.size(); ++length) {
        const auto key = keys.find(text.substr(0, length));
        if (key != keys.end()) wanted[length] = key->second;
      }
      trie.for_each_prefix(text, [&](std::size_t length, std::int32_t value) { found[length] = value; });
      REQUIRE(found == wanted);
    }
  }
  PieceTrie().for_each_prefix("a", [](std::size_t, std::int32_t) { FAIL("an empty trie has a key"); });
}

TEST_CASE("a trie takes time as its keys have bytes, also where few places are free among many taken ones" *
          doctest::test_suite("timed")) {
  std::vector<std::string> numbers;
  for (int i = 0; i < 150000; ++i) {
    numbers.push_back(std::to_string(i));
    std::reverse(numbers.back().begin(), numbers.back().end());
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::vector<PieceTrie::Key> keys;
  for (const std::string& number : numbers) keys.push_back({number, static_cast<std::int32_t>(keys.size())});
  const std::clock_t begin = std::clock();
  const PieceTrie trie(keys);
  CHECK(std::clock() - begin < 5 * CLOCKS_PER_SEC);  // it took 22
  CHECK(trie.size() < 3 * numbers.size());
  std::size_t found = 0;
  trie.for_each_prefix(numbers[777], [&](std::size_t, std::int32_t) { ++found; });
  CHECK(found > 0);
}

TEST_CASE("WordPiece cuts as the longest match from the left does") {
  const RandomStream stream{.seed = 5, .purpose = Purpose::sample};
  std::uint64_t at = 0;
  for (int round = 0; round < 60; ++round) {
    std::vector<std::string> surfaces = {"[UNK]"};
    while (surfaces.size() < 30) {
      std::string piece = random_word(stream, at, "abc", 5);
      if (random_word(stream, at++) % 2 == 0) piece.insert(0, "##");
      if (std::find(surfaces.begin(), surfaces.end(), piece) == surfaces.end()) surfaces.push_back(piece);
    }
    const WordPiece model(surfaces, {});
    for (int i = 0; i < 200; ++i) {
      const std::string word = random_word(stream, at, "abc", 12);
      Ids ids;
      model.encode(word, ids);
      REQUIRE_MESSAGE(ids == naive_word_piece(surfaces, word), word);
    }
  }
}

TEST_CASE("WordPiece: examples, and words that are too long") {
  const WordPiece model({"[UNK]", "un", "##aff", "##able", "##a", "a", "##", "\xC3\xA9"},
                        {.max_characters = 9});
  const auto encode = [&](std::string_view word) {
    Ids ids = {7};
    model.encode(word, ids);
    ids.erase(ids.begin());
    return ids;
  };
  CHECK(encode("unaffable") == Ids{1, 2, 3});
  CHECK(encode("unaffables") == Ids{0});
  CHECK(encode("aaa") == Ids{5, 4, 4});
  CHECK(encode("ab") == Ids{0});
  CHECK(encode("##") == Ids{6});
  CHECK(encode("\xC3\xA9"
               "aaaaaaaa") == Ids{7, 4, 4, 4, 4, 4, 4, 4, 4});
  CHECK(encode("\xC3\xA9"
               "aaaaaaaaa") == Ids{0});
}

TEST_CASE("Unigram takes the best of all cuts, and again from its memory") {
  const RandomStream stream{.seed = 9, .purpose = Purpose::sample};
  std::uint64_t at = 0;
  for (int round = 0; round < 40; ++round) {
    std::map<std::string, std::pair<std::int32_t, double>> table;
    std::vector<UnigramPiece> pieces = {{"<unk>", 0, PieceKind::hidden}};
    double least = 0;
    while (pieces.size() < 20) {
      const std::string piece = random_word(stream, at, "abcd", 4);
      if (piece == "d" || table.contains(piece)) continue;
      const double score = -1 - 9 * static_cast<double>(random_uniform(stream, at++));
      table[piece] = {static_cast<std::int32_t>(pieces.size()), score};
      pieces.push_back({piece, score});
      least = std::min(least, score);
    }
    for (const ScoreSums sums : {ScoreSums::in_double, ScoreSums::in_float}) {
      const Unigram model(pieces, {.unknown_id = 0, .sums = sums});
      for (int i = 0; i < 60; ++i) {
        const std::string text = random_word(stream, at, "abcd", 10);
        const std::vector<Cut> cuts = all_cuts(table, least - 10, text);
        double best = -1e9;
        for (const Cut& cut : cuts) best = std::max(best, cut.score);
        for (int again = 0; again < 2; ++again) {
          Ids ids;
          model.encode(text, ids);
          // Cuts of the same pieces in another order are equally good.
          REQUIRE_MESSAGE(
              std::any_of(cuts.begin(), cuts.end(),
                          [&](const Cut& cut) { return cut.score > best - 1e-4 && fused(cut.ids) == ids; }),
              text);
        }
      }
    }
  }
}

TEST_CASE("Unigram draws cuts by their probability") {
  const std::map<std::string, std::pair<std::int32_t, double>> table = {
      {"a", {1, -1.0}}, {"b", {2, -1.5}}, {"ab", {3, -2.0}}, {"bab", {4, -3.5}}, {"ba", {5, -2.5}}};
  std::vector<UnigramPiece> pieces(6);
  pieces[0] = {"<unk>", 0, PieceKind::hidden};
  for (const auto& [surface, entry] : table) pieces[entry.first] = {surface, entry.second};
  const Unigram model(pieces, {.unknown_id = 0});
  constexpr double kAlpha = 0.7;
  std::map<Ids, double> expected;
  double total = 0;
  for (const Cut& cut : all_cuts(table, -20, "ababab")) {
    expected[cut.ids] = std::exp(kAlpha * cut.score);
    total += expected[cut.ids];
  }
  SampleCounter random{.stream = {.seed = 1, .purpose = Purpose::sample}};
  std::map<Ids, double> drawn;
  constexpr int kDraws = 40000;
  for (int i = 0; i < kDraws; ++i) {
    Ids ids;
    model.sample("ababab", {.alpha = kAlpha}, random, ids);
    drawn[ids] += 1.0 / kDraws;
  }
  for (const auto& [ids, weight] : expected) {
    const double share = weight / total;
    CHECK(std::abs(drawn[ids] - share) < 5 * std::sqrt(share / kDraws) + 1e-4);
    drawn.erase(ids);
  }
  CHECK(drawn.empty());
  Ids sure, best;
  model.sample("ababab", {.alpha = 0}, random, sure);
  model.encode("ababab", best);
  CHECK(sure == best);
}

TEST_CASE("Unigram: bytes, runs of unknown characters, and texts without an unknown token") {
  UnigramSettings settings{.unknown_id = 0};
  const std::vector<UnigramPiece> pieces = {{"<unk>", 0, PieceKind::hidden},
                                            {"\xE2\x96\x81", -2},
                                            {"a", -1},
                                            {"\xE2\x96\x81"
                                             "a",
                                             -2.5}};
  const auto encode = [&](const Unigram& model, std::string_view text) {
    Ids ids;
    model.encode(text, ids);
    return ids;
  };
  CHECK(encode(Unigram(pieces, settings),
               "\xE2\x96\x81"
               "axyaz") == Ids{3, 0, 2, 0});
  CHECK(encode(Unigram(pieces, settings), "x\xE2\x96\x81y") == Ids{0, 1, 0});
  settings.has_byte_fallback = true;
  for (std::size_t i = 0; i < 256; ++i) settings.byte_ids[i] = static_cast<std::int32_t>(100 + i);
  CHECK(encode(Unigram(pieces, settings), "a\xC3\xA9") == Ids{2, 100 + 0xC3, 100 + 0xA9});
  CHECK_THROWS_AS(encode(Unigram(pieces, {}), "x"), Error);
}

}  // namespace headwater
