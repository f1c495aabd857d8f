#include "text/models/subword_text_encoder.hpp"

#include <doctest/doctest.h>

#include "error_text.hpp"
#include "support/error.hpp"
#include "support/random.hpp"
#include "text/learning/subword_text_encoder_learner.hpp"
#include "text/tokenizer/tokenizer.hpp"

using namespace headwater;

namespace {

using Words = std::vector<std::string>;

Words split(std::string_view text, Words reserved = {}) {
  Words words;
  SubwordSplitter(std::move(reserved)).split(text, words);
  return words;
}

Tokenizer encoder(const Words& subwords) {
  return Tokenizer::parse(subword_text_encoder_json(subwords), "t");
}

}  // namespace

TEST_CASE("texts are cut into words and what stands between them") {
  CHECK(split("I am here.") == Words{"I_", "am_", "here", "."});
  CHECK(split("Tom, no") == Words{"Tom", ", ", "no"});
  CHECK(split(" a  b ") == Words{" ", "a", "  ", "b_"});
  CHECK(split("\u00C9t\u00E9 \u00BD") == Words{"\u00C9t\u00E9_", "\u00BD"});
  CHECK(split("") == Words{});
}

TEST_CASE("underscores and what stands for them") {
  CHECK(split("a_b c") == Words{"a\\&undscb_", "c"});
  CHECK(split("x\\&undsc y") == Words{"x", "\\&", "undsc_", "y"});
}

TEST_CASE("reserved strings are words of their own") {
  CHECK(split("go <EOS> on", {"<EOS>"}) == Words{"go_", "<EOS>_", "on"});
  CHECK(split("<<EOS>", {"<EOS>", "<<EOS>"}) == Words{"<<EOS>"});
}

TEST_CASE("ids: padding, subwords, bytes, start and end") {
  const Tokenizer tokenizer = encoder({"ab_", "ab", "\u00E9"});
  CHECK(tokenizer.vocabulary_size() == 1 + 3 + 256 + 2);
  CHECK(tokenizer.encode("ab abc") == std::vector<std::int32_t>{1, 2, 4 + 'c'});
  CHECK(tokenizer.encode("c \u00E9_") == std::vector<std::int32_t>{4 + 'c', 4 + ' ', 3, 4 + '_'});
  CHECK(tokenizer.encode("\u00E8") == std::vector<std::int32_t>{4 + 0xC3, 4 + 0xA8});
  CHECK(tokenizer.tokens("ab c") == Words{"ab_", "<0x63>"});
  CHECK(tokenizer.decode(std::vector<std::int32_t>{0, 1, 2, 260, 261, 0}) == "ab ab");
  CHECK(tokenizer.unknown_id() == -1);
}

TEST_CASE("no text is lost") {
  const Tokenizer tokenizer =
      encoder({"ab_", "ab", ", ", "a\\&undscb", "\\&", "undsc", "  ", "\u00E9_", "<EOS>", "_"});
  const std::vector<std::string> parts = {"a",          "b",      "_",  " ",      "\\&undsc", "\\",
                                          "&",          "undsc",  ", ", "\u00E9", "<EOS>",    "\u65E5",
                                          "\U0001F600", "<0x41>", "'",  "1"};
  const RandomStream stream{.seed = 3, .purpose = Purpose::sample};
  std::uint64_t element = 0;
  for (int line = 0; line < 2000; ++line) {
    std::string text;
    const std::uint64_t count = random_below(stream, element++, 12);
    for (std::uint64_t i = 0; i < count; ++i) text += parts[random_below(stream, element++, parts.size())];
    INFO(text);
    CHECK(tokenizer.decode(tokenizer.encode(text)) == text);
    CHECK(tokenizer.join(tokenizer.tokens(text)) == text);
  }
}

TEST_CASE("a .subwords file is read strictly") {
  const std::string head = "### SubwordTextEncoder\n### Metadata: {}\n";
  CHECK(parse_subwords(head, "f").empty());
  CHECK(parse_subwords(head + "'a'\n'it''\n", "f") == Words{"a", "it'"});
  CHECK(subwords_file({"a", "it'"}) == head + "'a'\n'it''\n");
  const auto error = [](const std::string& text) { return error_text([&] { parse_subwords(text, "f"); }); };
  CHECK(error("") == "f:1: the file ends here (cut off?)");
  CHECK(error("### TokenTextEncoder\n") == "f:1: expected \"### SubwordTextEncoder\"");
  CHECK(error("### SubwordTextEncoder\n'a'\n") == "f:2: expected \"### Metadata: {}\"");
  CHECK(error(head + "'a'") == "f:3: a line without its end (cut off?)");
  CHECK(error(head + "a\n") == "f:3: expected a subword in single quotes, found \"a\"");
  CHECK(error(head + "'a'\n''\n") == "f:4: an empty subword");
  CHECK(error(head + "'a'\n'a'\n") == "f:4: the subword \"a\" stands twice");
  CHECK(error(head + "'\xFF'\n") == "f:3: invalid UTF-8");
}

TEST_CASE("damaged .subwords files: one line each, or a whole file") {
  const std::string good = "### SubwordTextEncoder\n### Metadata: {}\n'the_'\n', '\n'\u00E9'\n'a\\&undscb'\n";
  int refused = 0;
  const auto check = [&](const std::string& damaged) {
    try {
      const Words subwords = parse_subwords(damaged, "f");
      CHECK(parse_subwords(subwords_file(subwords), "f") == subwords);
      (void)encoder(subwords);
    } catch (const Error& error) {
      ++refused;
      CHECK(std::string(error.what()).find('\n') == std::string::npos);
    }
  };
  for (std::size_t at = 0; at < good.size(); ++at) {
    check(good.substr(0, at));
    for (const char c : {'\n', '\'', '\xFF', '\0', '\t'}) {
      std::string damaged = good;
      damaged[at] = c;
      check(damaged);
    }
  }
  CHECK(refused > 200);
}

TEST_CASE("a subword that is a token of another kind is refused") {
  CHECK(error_text([] { encoder({"<0x41>"}); }) == "t: model.subwords: \"<0x41>\" stands twice");
  CHECK(error_text([] { encoder({"[PAD]"}); }) == "t: model.subwords: \"[PAD]\" stands twice");
}

TEST_CASE("learning needs words, and room for one") {
  WordTable counts;
  CHECK_THROWS_AS((void)learn_subword_text_encoder(counts, 300), Error);
  count_subword_words("the the the", counts);
  CHECK_THROWS_AS((void)learn_subword_text_encoder(counts, 257), UsageError);
  CHECK(learn_subword_text_encoder(counts, 258) == Words{"the_", "the"});
}
