#include <doctest/doctest.h>

#include <limits>

#include "error_text.hpp"
#include "ids_of_tokens.hpp"
#include "support/bytes.hpp"
#include "support/error.hpp"
#include "support/random.hpp"
#include "text/formats/sentencepiece.hpp"
#include "text/tokenizer/tokenizer.hpp"
#include "text/unicode/charsmap.hpp"
#include "unit/text/formats/model_file.hpp"

namespace headwater {
namespace {

using Ids = std::vector<std::int32_t>;
const std::string kMark = "\xE2\x96\x81";

std::string small_model(unsigned algorithm, const std::string& trainer = "",
                        const std::string& normalizer = "") {
  std::string bytes = piece_field("<unk>", 0, PieceType::unknown);
  bytes += piece_field("<s>", 0, PieceType::control);
  bytes += piece_field("</s>", 0, PieceType::control);
  bytes += piece_field(kMark, -3);                          // 3
  bytes += piece_field("a", -4);                            // 4
  bytes += piece_field("b", -5);                            // 5
  bytes += piece_field("ab", -1);                           // 6
  bytes += piece_field(kMark + "ab", -2);                   // 7
  bytes += piece_field("<x>", 0, PieceType::user_defined);  // 8
  bytes += piece_field("aba", -0.5F, PieceType::unused);    // 9
  bytes += block_field(2, number_field(3, algorithm) + trainer);
  bytes += block_field(3, normalizer);
  return bytes;
}

std::string with_bytes() {
  std::string bytes = small_model(1, number_field(35, 1));
  constexpr const char* kDigits = "0123456789ABCDEF";
  for (int byte = 0; byte < 256; ++byte) {
    std::string surface = "<0x00>";
    surface[3] = kDigits[byte / 16];
    surface[4] = kDigits[byte % 16];
    bytes += piece_field(surface, 0, PieceType::byte);
  }
  return bytes;
}

Ids ids_of(const Tokenizer& tokenizer, std::string_view text) { return tokenizer.encode(text); }

}  // namespace

TEST_CASE("a .model: pieces of every type, in Unigram and BPE") {
  for (const unsigned algorithm : {1u, 2u}) {
    const Tokenizer tokenizer = Tokenizer::parse(small_model(algorithm), "m.model");
    CHECK(tokenizer.vocabulary_size() == 10);
    CHECK(tokenizer.unknown_id() == 0);
    CHECK(tokenizer.start_id() == 1);
    CHECK(tokenizer.end_id() == 2);
    CHECK(tokenizer.pad_id() == -1);
    CHECK(ids_of(tokenizer, "") == Ids{});
    CHECK(ids_of(tokenizer, "   ") == Ids{});
    CHECK(ids_of(tokenizer, "ab  ab ") == Ids{7, 7});
    // BPE joins the unused piece first and takes it apart at the end.
    CHECK(ids_of(tokenizer, "aba") == (algorithm == 1 ? Ids{7, 4} : Ids{3, 6, 4}));
    CHECK(ids_of(tokenizer, "xyab<x>z") == Ids{3, 0, 6, 8, 0});
    CHECK(ids_of(tokenizer, "<s>") == Ids{3, 0});
    CHECK(tokenizer.decode(Ids{1, 7, 7, 8, 4, 2}) == "ab ab<x>a");
    CHECK(tokenizer.decode(Ids{0, 7}) == " \xE2\x81\x87  ab");
    CHECK(tokenizer.decode(Ids{0, 7}, UnknownTokens::skipped) == "ab");
    CHECK(tokenizer.join(tokenizer.tokens("ab  aba ")) == "ab aba");
    CHECK(tokenizer.normalize(" ab   x") == "ab x");
    CHECK(ids_of_tokens(tokenizer, tokenizer.tokens("xyab<x>z")) == ids_of(tokenizer, "xyab<x>z"));

    const Tokenizer again = Tokenizer::parse(tokenizer.to_json(), "again");
    CHECK(again.hash() == tokenizer.hash());
    CHECK(again.to_json() == tokenizer.to_json());
    CHECK(ids_of(again, "xyab<x>z aba") == ids_of(tokenizer, "xyab<x>z aba"));
    CHECK(again.warnings().empty());
  }
}

TEST_CASE("a .model: bytes, and white space that stays") {
  const Tokenizer tokenizer = Tokenizer::parse(with_bytes(), "m.model");
  CHECK(ids_of(tokenizer, "a\xC3\xA9") == Ids{3, 4, 10 + 0xC3, 10 + 0xA9});
  CHECK(tokenizer.decode(ids_of(tokenizer, "a\xC3\xA9")) == "a\xC3\xA9");
  CHECK(tokenizer.decode(Ids{4, 10 + 0xC3, 4}) ==
        "a\xEF\xBF\xBD"
        "a");

  const std::string keeps = number_field(3, 0) + number_field(4, 0);
  const Tokenizer plain = Tokenizer::parse(small_model(1, "", keeps), "m.model");
  CHECK(ids_of(plain, "ab  ab ") == Ids{6, 3, 7, 3});
  CHECK(plain.decode(ids_of(plain, " ab  ab ")) == " ab  ab ");
}

TEST_CASE("a .model: an empty line has no token, whatever white space becomes") {
  for (const unsigned algorithm : {1u, 2u}) {
    for (unsigned flags = 0; flags < 8; ++flags) {
      const std::string normalizer =
          number_field(3, flags & 1) + number_field(4, flags >> 1 & 1) + number_field(5, flags >> 2 & 1);
      const Tokenizer tokenizer = Tokenizer::parse(small_model(algorithm, "", normalizer), "m.model");
      CHECK(ids_of(tokenizer, "") == Ids{});
      CHECK(tokenizer.tokens("").empty());
      CHECK(tokenizer.normalize("").empty());
      CHECK(tokenizer.decode(Ids{}).empty());
      Ids drawn = {1};
      tokenizer.sample("", {.dropout = 0.5, .alpha = 1}, {.seed = 1, .purpose = Purpose::sample}, drawn);
      CHECK(drawn == Ids{});
    }
  }
  // A space alone is text: it is one more where it is kept.
  const Tokenizer keeps = Tokenizer::parse(small_model(2, "", number_field(4, 0)), "m.model");
  CHECK(ids_of(keeps, " ") == Ids{3, 3});
}

TEST_CASE("a .model as tokenizer.json: BPE's merges by score, then by piece and cut, and never too many") {
  const Tokenizer tokenizer = Tokenizer::parse(
      small_model(2) + piece_field("aab", -1) + piece_field("aa", -2) + piece_field("\"", -9), "m.model");
  const Json file = Json::parse(tokenizer.to_json(), "t.json");
  CHECK(file.at("model").at("merges").dump() == R"([["a","b"],["a","ab"],["aa","b"],["▁","ab"],["a","a"]])");
  CHECK(tokenizer.model_type() == "BPE");
  CHECK(Tokenizer::parse(small_model(1), "m.model").model_type() == "Unigram");
  CHECK(Tokenizer::parse(Tokenizer::parse(small_model(1), "m.model").to_json(), "t.json").model_type() ==
        "Unigram");

  std::string bytes = small_model(2);
  for (std::size_t length = 2; length <= 1000; ++length)
    bytes += piece_field(std::string(length, 'a'), -static_cast<float>(length));
  const Tokenizer bomb = Tokenizer::parse(bytes, "m.model");
  CHECK(bomb.encode(std::string(1000, 'a')).size() > 0);
  CHECK(error_text([&] { (void)bomb.to_json(); }).starts_with("m.model: as merges of a tokenizer.json its "));
}

// A charsmap of rules whose bytes all differ in their first: a node lies at `base` ^ byte.
std::string charsmap_of(const std::vector<std::pair<std::string, std::string>>& rules) {
  std::vector<std::uint32_t> units(256 * 32, 0x80000000u);  // of no byte
  std::string replacements;
  std::uint32_t next_base = 256;
  const auto unit_with = [](std::uint32_t label, std::uint32_t offset) { return label | offset << 10; };
  const std::uint32_t root = next_base;
  units[0] = unit_with(0, root);
  for (const auto& [bytes, replacement] : rules) {
    std::uint32_t base = root;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const auto label = static_cast<unsigned char>(bytes[i]);
      const std::uint32_t at = base ^ label;
      next_base += 256;
      base = next_base;
      units[at] = unit_with(label, at ^ base) | (i + 1 == bytes.size() ? 0x100u : 0u);
    }
    units[base] = 0x80000000u | static_cast<std::uint32_t>(replacements.size());
    replacements += replacement + '\0';
  }
  std::string out;
  const auto add = [&out](std::uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(value >> shift & 0xFF);
  };
  add(static_cast<std::uint32_t>(4 * units.size()));
  for (const std::uint32_t unit : units) add(unit);
  return out + replacements;
}

TEST_CASE("a .model encodes a text as its normalised form, whatever stands between words of ASCII") {
  const std::string rules = charsmap_of({{" \xCC\x81", "b"},           // a space that a mark takes away
                                         {"\xC2\xA0", " "},            // another space
                                         {"\xE2\x80\x8B", ""},         // nothing
                                         {"\xC3\xA9", "a b"},          // a space inside
                                         {"\xEF\xAC\x81 b", "ab "}});  // a rule that reads a space
  const std::string user =
      piece_field("\xC4\x80 a", 0, PieceType::user_defined) + piece_field(kMark + kMark, -1);
  const std::vector<std::string> parts = {"a",
                                          "b",
                                          "ab",
                                          "abab",
                                          " ",
                                          " ",
                                          "  ",
                                          "\xCC\x81",
                                          "\xC2\xA0",
                                          "\xC3\xA9",
                                          "\xE2\x80\x8B",
                                          kMark,
                                          "x",
                                          "\t",
                                          "\x7F",
                                          "\xC4\x80",
                                          "\xEF\xAC\x81",
                                          "ba",
                                          "abababababababababababababababab"};
  std::string model = small_model(1);
  model.erase(model.find(piece_field("<x>", 0, PieceType::user_defined)),
              piece_field("<x>", 0, PieceType::user_defined).size());
  std::size_t different = 0;
  for (const bool has_prefix : {true, false}) {
    for (const bool strips : {true, false}) {
      const std::string flags = number_field(3, has_prefix ? 1 : 0) + number_field(4, strips ? 1 : 0);
      const std::string bytes = model + user + block_field(3, block_field(2, rules) + flags);
      const Tokenizer tokenizer = Tokenizer::parse(bytes, "m.model");
      const SentencePiece naive(read_sentencepiece_file(bytes, "m.model"), "m.model");
      std::uint64_t at = 0;
      const RandomStream stream{.seed = 3, .purpose = Purpose::sample};
      for (int i = 0; i < 4000; ++i) {
        std::string text;
        for (std::uint32_t left = random_word(stream, at++) % 12; left > 0; --left)
          text += parts[random_word(stream, at++) % parts.size()];
        Ids expected;
        const std::string normal = naive.normalize(text);
        if (!normal.empty()) naive.encode(normal, expected);
        REQUIRE_MESSAGE(ids_of(tokenizer, text) == expected, text);
        different += normal.find("ab") != std::string::npos ? 1 : 0;
      }
    }
  }
  CHECK(different > 1000);
}

TEST_CASE("damaged and foreign .model files: one line that names the place") {
  const auto message = [](const std::string& bytes) {
    return error_text([&] { (void)Tokenizer::parse(bytes, "m"); });
  };
  const std::string good = small_model(1);
  REQUIRE(is_sentencepiece_file(good));
  CHECK_FALSE(is_sentencepiece_file("\n{\n  \"version\": \"1.0\"}"));
  CHECK_FALSE(is_sentencepiece_file(""));
  for (const char* few : {"", "\n", "\n\x0d\n"}) CHECK(is_sentencepiece_file(few, "vocab.spm"));
  CHECK(error_text([] { Tokenizer::parse("", "vocab.spm"); }) ==
        "vocab.spm: an empty file, no SentencePiece model (copy it again)");
  std::vector<std::string> bad = {
      good.substr(0, good.size() - 1),
      good + piece_field("a", 0),
      good + piece_field("", 0),
      good + piece_field("q", 0, static_cast<PieceType>(0)),
      good + piece_field("q", 0, static_cast<PieceType>(7)),
      good + piece_field("q", 0, PieceType::unknown),
      good + piece_field("q", 0, PieceType::byte),
      good + piece_field("<0x41>", 0, PieceType::byte),
      good + piece_field("<0x4g>", 0, PieceType::byte),
      good + piece_field(std::string(1025, 'q'), 0),
      good + piece_field("q", std::numeric_limits<float>::infinity()),
      good + piece_field("q", std::numeric_limits<float>::quiet_NaN()),
      good + piece_field("\xFF", 0),
      good + block_field(1, ""),
      good + block_field(1, number_field(1, 3)),
      good + block_field(1, block_field(2, "12345")),
      good + block_field(1, block_field(3, "1")),
      good + number_field(1, 1),
      good + number_field(2, 1),
      good + number_field(3, 1),
      good + block_field(2, number_field(3, 3)),
      good + block_field(2, number_field(3, 4)),
      good + block_field(2, number_field(3, 0)),
      good + block_field(2, number_field(24, 1)),
      good + block_field(2, number_field(35, 1)),
      good + block_field(2, block_field(44, "\xC3")),
      good + block_field(2, "\x08"),
      good + block_field(3, block_field(2, "abc")),
      good + block_field(3, block_field(2, std::string("\0\0\0\0a\0", 6))),
      good + block_field(3, block_field(2, std::string("\x04\0\0\0\0\0\0\0", 8))),
      good + block_field(3, block_field(2, std::string("\x04\0\0\0\0\0\0\0a", 9))),
      good + block_field(3, block_field(2, std::string("\x04\0\0\0\0\0\0\0\xFF\0", 10))),
      good + block_field(3, block_field(2, std::string("\xFF\xFF\xFF\xFF\0\0\0\0a\0", 10))),
      good + block_field(5, block_field(2, "x")),
      good + number_bytes(3),
      good + number_bytes(4),
      good + number_bytes(7),
      good + number_bytes(0),
      good + std::string(11, '\xFF'),
      good + std::string("\x0A\xFF\xFF\xFF\xFF\x0F", 6),
      good + std::string("\x80", 1),
      good.substr(good.find("\x0A", 12)),
  };
  CHECK(bad.size() >= 40);
  for (std::size_t i = 0; i < bad.size(); ++i) {
    INFO(i);
    const std::string text = message(bad[i]);
    CHECK(text.starts_with("m: "));
    CHECK(text.find('\n') == std::string::npos);
    CHECK(text.size() < 300);
  }
  CHECK(message(good + block_field(2, number_field(3, 4))).find("unsupported model type CHAR") !=
        std::string::npos);
  CHECK(message(R"({"normalizer": {"sentencepiece": "????"}})") ==
        "m: normalizer.sentencepiece: no base64: a character that is no digit of it");
}

TEST_CASE("a charsmap whose ways lead out of it has no rules there") {
  // Every unit is its own kind of nonsense.
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::string bytes("\x40\x00\x00\x00", 4);
    std::uint32_t state = seed * 2654435761u + 1;
    for (int i = 0; i < 64; ++i) {
      state = state * 1664525u + 1013904223u;
      bytes += static_cast<char>(state >> 24);
    }
    bytes += std::string("ab\0c\0", 5);
    const Charsmap map(bytes);
    for (int a = 0; a < 256; ++a) {
      const std::string text = {static_cast<char>(a), 'b', 'c'};
      CHECK(map.longest(text).length <= text.size());
      CHECK(map.shortest(text).length <= map.longest(text).length);
    }
  }
}

TEST_CASE("base64 takes what it gives, and nothing else") {
  CHECK(to_base64("") == "");
  CHECK(to_base64("M") == "TQ==");
  CHECK(to_base64("Ma") == "TWE=");
  CHECK(to_base64("Man") == "TWFu");
  std::string all;
  for (int i = 0; i < 256; ++i) {
    all += static_cast<char>(i * 7);
    CHECK(from_base64(to_base64(all)) == all);
  }
  for (const char* bad : {"T", "TQ", "TQ=", "TQ===", "TR==", "TWE", "T WE=", "TWE=TWE=", "="}) {
    CHECK_THROWS_AS(from_base64(bad), Error);
  }
}

}  // namespace headwater
