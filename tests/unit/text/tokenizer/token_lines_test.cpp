#include "text/tokenizer/token_lines.hpp"

#include <doctest/doctest.h>

#include "support/error.hpp"
#include "support/random.hpp"
#include "text/learning/tokenizer_learner.hpp"
#include "text/tokenizer/tokenizer.hpp"

using namespace headwater;

using Tokens = std::vector<std::string>;

TEST_CASE("tokens as text: spaces, blocks, backslashes and controls") {
  CHECK(token_line({"a", "b"}) == "a b");
  CHECK(token_line({}).empty());
  CHECK(token_line({" ", "x y"}) == "\u2581 x\u2581y");
  CHECK(token_line({"\u2581"}) == "\\\u2581");
  CHECK(token_line({"\\", "\\\u2581 "}) == "\\\\ \\\\\\\u2581\u2581");
  CHECK(token_line({"\t", "\n\v\f\r"}) == "\\t \\n\\v\\f\\r");
  CHECK(token_line({"\u2580\u2582é\u00A0"}) == "\u2580\u2582é\u00A0");
}

TEST_CASE("token lines read back") {
  CHECK(tokens_of_line("") == Tokens{});
  CHECK(tokens_of_line(" a  b ") == Tokens{"a", "b"});
  CHECK(tokens_of_line("\u2581 \\\u2581 \\\\\u2581 \u2580") == Tokens{" ", "\u2581", "\\ ", "\u2580"});
  for (const Tokens& tokens : {Tokens{"\\n", "\n", " ", "\u2581", "\\"}, Tokens{"\\\\ \u2581\\\u2581 "},
                               Tokens{"\xE2", "\xE2\x96", "\\"}}) {
    CHECK(tokens_of_line(token_line(tokens)) == tokens);
  }
}

TEST_CASE("token lines that are none: the column and what to do") {
  CHECK_THROWS_WITH_AS(tokens_of_line("é \\x"), doctest::Contains("3: a backslash that escapes nothing"),
                       Error);
  CHECK_THROWS_WITH_AS(tokens_of_line("a b\\"), doctest::Contains("4: a backslash"), Error);
  CHECK_THROWS_WITH_AS(tokens_of_line("a b\tc"), doctest::Contains("4: a TAB in a token line"), Error);
}

TEST_CASE("any text goes into a token line and comes back") {
  const Tokens pieces = {"a",  "B", " ", "  ", "\t", "\u2581", "\\",      "\\\\", "é",      "\u00A0",
                         "😀", "!", ",", "\r", "\v", "[PAD]",  "e\u0301", "n",    "\u2580", "İ"};
  const RandomStream stream{.seed = 3, .purpose = Purpose::sample};
  std::uint64_t element = 0;
  for (const SplitKind split : {SplitKind::word, SplitKind::character, SplitKind::word_and_punctuation}) {
    for (const Standardization standardization :
         {Standardization::none, Standardization::lower_and_strip_punctuation}) {
      TokenizerLearner learner(
          {.split = split, .size = 8, .standardize = {standardization, Lowering::unicode}});
      learner.add("some text");
      const Tokenizer tokenizer = learner.finish();
      for (int example = 0; example < 500; ++example) {
        std::string text;
        for (std::uint64_t left = random_below(stream, element++, 12); left > 0; --left)
          text += pieces[random_below(stream, element++, pieces.size())];
        const std::string line = token_line(tokenizer.tokens(text));
        CHECK(line.find_first_of("\t\n\v\f\r") == line.npos);
        const Tokens back = tokens_of_line(line);
        REQUIRE(back == tokenizer.tokens(text));
        const std::string normal = tokenizer.normalize(text);
        if (split == SplitKind::character) {
          CHECK(tokenizer.join(back) == normal);
        } else {
          CHECK(tokenizer.join(tokenizer.tokens(normal)) == tokenizer.join(back));
        }
      }
    }
  }
}
