#include "text/models/bpe.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "support/error.hpp"
#include "text/tokenizer/byte_pieces.hpp"
#include "text/unicode/byte_level.hpp"
#include "text/unicode/pattern.hpp"

using namespace headwater;

namespace {

constexpr const char* kExpression =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

// Characters that the expression treats differently, in texts drawn from `random`.
std::string drawn_text(const RandomStream& random, std::uint64_t first, std::size_t length) {
  static const std::vector<std::string> kParts = {
      "a",      "Z",      "s",      "t",      "re",     "ll",     "'",      "'",      " ",
      " ",      "  ",     "\t",     "\n",     "\r",     "\v",     "1",      "23",     ".",
      "!",      "-",      "é",      "ß",      "\u00A0", "\u0085", "\u2003", "\u3000", "\u200B",
      "\uFEFF", "\u00BD", "\u0663", "\u4E2D", "\u0301", "😀",     "𝟙",      "𝒜",      "\u2028",
      "\u001C", "\u180E", "_",      "ve",     "d",      "m"};
  std::string text;
  for (std::size_t i = 0; i < length; ++i) text += kParts[random_below(random, first + i, kParts.size())];
  return text;
}

// The definition: the leftmost of the best pairs is joined until there is none.
std::vector<std::int32_t> naive_bpe(
    std::vector<std::int32_t> symbols,
    const std::map<Bpe::Merge, std::pair<std::size_t, std::int32_t>>& merges) {
  for (;;) {
    std::size_t best = symbols.size(), best_rank = 0;
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
      const auto found = merges.find({symbols[i], symbols[i + 1]});
      if (found == merges.end() || (best != symbols.size() && found->second.first >= best_rank)) continue;
      best = i;
      best_rank = found->second.first;
    }
    if (best == symbols.size()) return symbols;
    symbols[best] = merges.at({symbols[best], symbols[best + 1]}).second;
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

// A vocabulary of `letters` letters, and merges drawn at random.
struct DrawnBpe {
  std::vector<std::string> surfaces;
  std::vector<Bpe::Merge> merges;
  std::map<Bpe::Merge, std::pair<std::size_t, std::int32_t>> table;

  DrawnBpe(std::size_t letters, std::size_t count, const RandomStream& random) {
    for (std::size_t i = 0; i < letters; ++i) surfaces.emplace_back(1, static_cast<char>('a' + i));
    for (std::uint64_t at = 0; merges.size() < count; at += 2) {
      const auto left = static_cast<std::int32_t>(random_below(random, at, surfaces.size()));
      const auto right = static_cast<std::int32_t>(random_below(random, at + 1, surfaces.size()));
      std::string joined = surfaces[left];
      joined += surfaces[right];
      if (joined.size() > 8) continue;
      auto found = std::find(surfaces.begin(), surfaces.end(), joined);
      const auto id = static_cast<std::int32_t>(found - surfaces.begin());
      if (found == surfaces.end()) surfaces.push_back(joined);
      table[{left, right}] = {merges.size(), id};
      merges.emplace_back(left, right);
    }
  }
};

std::vector<std::int32_t> encoded(const Bpe& bpe, std::string_view piece) {
  std::vector<std::int32_t> ids;
  bpe.encode(piece, ids);
  return ids;
}

using Ids = std::vector<std::int32_t>;

}  // namespace

TEST_CASE("pieces of byte-level text are the matches of GPT-2's expression") {
  const Pattern pattern(kExpression, std::make_shared<MatchBudget>());
  for (std::uint32_t i = 0; i < 3000; ++i) {
    const std::string text = drawn_text({.seed = 3, .purpose = Purpose::sample, .step = i}, 0, 1 + i % 23);
    std::vector<std::string> wanted, pieces;
    for (const TextSpan& span : pattern.find_all(text))
      wanted.push_back(text.substr(span.begin, span.end - span.begin));
    for_each_byte_level_piece(text, [&](std::string_view piece) { pieces.emplace_back(piece); });
    CAPTURE(text);
    CHECK(pieces == wanted);
  }
}

TEST_CASE("every byte has a printable character and comes back from it") {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  const std::string text = byte_level_text(bytes);
  CHECK(text.starts_with("ĀāĂ"));
  CHECK(byte_level_text(" \n") == "ĠĊ");
  std::string back = "x";
  CHECK(append_byte_level_bytes(text, back));
  CHECK(back.substr(1) == bytes);
  CHECK_FALSE(append_byte_level_bytes("a b", back));
  CHECK_FALSE(append_byte_level_bytes("\u4E2D", back));
  CHECK(back.size() == 257);
}

TEST_CASE("pieces of every length are merged as the definition says") {
  for (std::uint32_t round = 0; round < 40; ++round) {
    const RandomStream random{.seed = 11, .purpose = Purpose::sample, .step = round};
    const std::size_t letters = 2 + round % 5;
    const DrawnBpe drawn(letters, 5 + 4 * round, random);
    const Bpe bpe(drawn.surfaces, drawn.merges, {});
    for (std::uint32_t i = 0; i < 60; ++i) {
      const RandomStream words{.seed = 12, .purpose = Purpose::sample, .layer = i, .step = round};
      std::string piece;
      Ids symbols;
      const std::size_t length = i < 50 ? 1 + i % 25 : 60 + 3 * (i - 50);
      for (std::size_t c = 0; c < length; ++c) {
        symbols.push_back(static_cast<std::int32_t>(random_below(words, c, letters)));
        piece += static_cast<char>('a' + symbols.back());
      }
      CAPTURE(piece);
      CHECK(encoded(bpe, piece) == naive_bpe(symbols, drawn.table));
    }
  }
}

TEST_CASE("a long piece takes no square of its length") {
  const DrawnBpe drawn(3, 40, {.seed = 5, .purpose = Purpose::sample});
  const Bpe bpe(drawn.surfaces, drawn.merges, {});
  std::string piece;
  for (std::size_t i = 0; i < 1000000; ++i) piece += static_cast<char>('a' + i * i % 3);
  CHECK(encoded(bpe, piece).size() < piece.size());
}

TEST_CASE("prefixes and suffixes belong to the surfaces of characters") {
  const std::vector<std::string> surfaces = {"a", "b", "##b", "##b</w>", "ab", "ab</w>", "a</w>", "##c"};
  const Bpe bpe(surfaces, {{0, 2}, {0, 3}},
                {.continuing_subword_prefix = "##", .end_of_word_suffix = "</w>"});
  CHECK(encoded(bpe, "ab") == Ids{5});
  CHECK(encoded(bpe, "abc") == Ids{4});  // "##c</w>" is no token, and there is no unknown one
  CHECK(encoded(bpe, "a") == Ids{6});
  CHECK(encoded(bpe, "bb") == Ids{1, 3});
}

TEST_CASE("characters that the vocabulary lacks") {
  const std::vector<std::string> surfaces = {"<unk>", "a", "b", "ab", "<0xC3>", "<0xA9>"};
  const std::vector<Bpe::Merge> merges = {{1, 2}};
  CHECK(encoded(Bpe(surfaces, merges, {}), "xaébx") == Ids{3});
  CHECK(encoded(Bpe(surfaces, merges, {.unknown_id = 0}), "xxab") == Ids{0, 0, 3});
  CHECK(encoded(Bpe(surfaces, merges, {.unknown_id = 0, .fuse_unknown = true}), "xxabéx") == Ids{0, 3, 0});
  const Bpe bytes(surfaces, merges,
                  {.unknown_id = 0, .byte_fallback = true, .byte_ids = byte_piece_ids(surfaces)});
  CHECK(encoded(bytes, "aébab") == Ids{1, 4, 5, 2, 3});
  CHECK(encoded(bytes, "ñ") == Ids{0});
  CHECK(encoded(bytes, "\xFF") == Ids{0});
}

TEST_CASE("a whole piece of the vocabulary is one token where merges make it, or are ignored") {
  const std::vector<std::string> surfaces = {"a", "b", "c", "ab", "bc", "abc"};
  const std::vector<Bpe::Merge> merges = {{1, 2}, {0, 1}, {3, 2}};
  CHECK(encoded(Bpe(surfaces, merges, {}), "abc") == Ids{0, 4});
  CHECK(encoded(Bpe(surfaces, merges, {.ignore_merges = true}), "abc") == Ids{5});
  CHECK(encoded(Bpe(surfaces, {{1, 2}, {0, 1}, {3, 2}, {0, 4}}, {}), "abc") == Ids{5});
}

TEST_CASE("of a merge that stands twice the last counts") {
  const std::vector<std::string> surfaces = {"a", "b", "c", "ab", "bc"};
  CHECK(encoded(Bpe(surfaces, {{0, 1}, {1, 2}}, {}), "abc") == Ids{3, 2});
  CHECK(encoded(Bpe(surfaces, {{0, 1}, {1, 2}, {0, 1}}, {}), "abc") == Ids{0, 4});
}

TEST_CASE("merges that cannot be are refused") {
  const std::vector<std::string> surfaces = {"a", "b"};
  CHECK_THROWS_WITH_AS(Bpe(surfaces, {{0, 2}}, {}), "merges[0]: id 2 is not in the vocabulary", Error);
  CHECK_THROWS_WITH_AS(Bpe(surfaces, {{0, 1}}, {}),
                       "merges[0]: the token \"ab\" that it makes is not in the vocabulary", Error);
  CHECK_THROWS_AS(Bpe(surfaces, {{0, 1}}, {.continuing_subword_prefix = "##"}), Error);
}

TEST_CASE("dropout leaves out merges by counted numbers") {
  const DrawnBpe drawn(4, 60, {.seed = 21, .purpose = Purpose::sample});
  const Bpe bpe(drawn.surfaces, drawn.merges, {});
  const std::string piece = "abcdabcaabbccddabcd";
  const auto sampled = [&](double dropout, std::uint32_t step) {
    Ids ids;
    std::uint64_t at = 0;
    bpe.encode_with_dropout(piece, dropout, {.seed = 1, .purpose = Purpose::sample, .step = step}, at, ids);
    return ids;
  };
  const Ids plain = encoded(bpe, piece);
  CHECK(sampled(0, 0) == plain);
  CHECK(sampled(1, 0).size() == piece.size());
  CHECK(sampled(0.5, 7) == sampled(0.5, 7));
  std::size_t length = 0, different = 0;
  for (std::uint32_t step = 0; step < 200; ++step) {
    const Ids ids = sampled(0.1, step);
    std::string text;
    for (const std::int32_t id : ids) text += drawn.surfaces[id];
    CHECK(text == piece);
    length += ids.size();
    different += ids != plain ? 1 : 0;
  }
  CHECK(different > 10);
  CHECK(length > 200 * plain.size());
}
