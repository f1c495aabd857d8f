#include "text/tokenizer/tokenizer.hpp"

#include <doctest/doctest.h>

#include "ids_of_tokens.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "text/learning/tokenizer_learner.hpp"

using namespace headwater;

namespace {

constexpr const char* kText =
    "“Don’t” — it’s 12.5 € (1,000.75), … 3. ,5 ½ 1.2.3 ٣.٤ a.1 1.b ‹x› ± ´ ° 5,\n"
    "The red house, the old red house.\nLa casa roja — ¿dónde está? \\ \u2581 x\u2581y\n"
    "\ttabs\tand   spaces \nemoji 😀 👍🏽\nI can't [PAD] [UNK]!\n";

Tokenizer learned(const WordTokenizerSettings& settings) {
  TokenizerLearner learner(settings);
  learner.add(kText);
  return learner.finish();
}

// A file whose member is replaced.
std::string file_with(const std::string& member, const std::string& value) {
  Json file = Json::parse(
      R"({"version":"1.0","truncation":null,"padding":null,"added_tokens":[],"normalizer":null,"pre_tokenizer":null,)"
      R"("post_processor":null,"decoder":null,"model":{"type":"WordLevel","vocab":{"[UNK]":0,"a":1,"b":2},"unk_token":"[UNK]"}})",
      "test");
  file.set(member, Json::parse(value, "value"));
  return file.dump();
}

std::vector<std::string> tokens_with(const std::string& normalizer, const std::string& pre_tokenizer,
                                     std::string_view text) {
  Json file = Json::parse(file_with("normalizer", normalizer), "test");
  file.set("pre_tokenizer", Json::parse(pre_tokenizer, "value"));
  return Tokenizer::parse(file.dump(), "t.json").tokens(text);
}

std::string message_of(const std::string& json) {
  try {
    Tokenizer::parse(json, "t.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

using Tokens = std::vector<std::string>;

constexpr SplitKind kSplits[] = {SplitKind::word, SplitKind::character, SplitKind::word_and_punctuation};

}  // namespace

TEST_CASE("a file written and read again is the same tokenizer, for every setting") {
  for (const SplitKind split : kSplits) {
    for (const Standardization standardization : kAllStandardizations) {
      for (const Lowering lowering : {Lowering::ascii, Lowering::unicode}) {
        const Tokenizer here = learned(
            {.split = split, .size = 20, .standardize = {standardization, lowering}, .has_start_end = true});
        const Tokenizer there = Tokenizer::parse(here.to_json(), "t.json");
        CHECK(there.to_json() == here.to_json());
        CHECK(there.hash() == here.hash());
        CHECK(there.tokens(kText) == here.tokens(kText));
        CHECK(there.encode(kText) == here.encode(kText));
        CHECK(ids_of_tokens(there, there.tokens(kText)) == here.encode(kText));
        CHECK(there.warnings().empty());
      }
    }
  }
}

TEST_CASE("the parts of a file do what the native path does") {
  // The same parts in a nested sequence are not recognised, so they run through the general path.
  for (const SplitKind split : kSplits) {
    for (const Standardization standardization : kAllStandardizations) {
      if (standardization == Standardization::none && split != SplitKind::word_and_punctuation) continue;
      for (const Lowering lowering : {Lowering::ascii, Lowering::unicode}) {
        const Tokenizer native = learned({.split = split, .standardize = {standardization, lowering}});
        Json file = Json::parse(native.to_json(), "t.json");
        Json::Array inner = {file.at("normalizer")};
        file.set("normalizer", Json::Object{{"type", "Sequence"}, {"normalizers", std::move(inner)}});
        const Tokenizer general = Tokenizer::parse(file.dump(), "t.json");
        CHECK(general.tokens(kText) == native.tokens(kText));
        CHECK(general.encode(kText) == native.encode(kText));
        CHECK(general.normalize(kText) == native.normalize(kText));
      }
    }
  }
}

TEST_CASE("words and punctuation: case is kept, and joining the tokens gives the text again") {
  const Tokenizer tokenizer = learned({.split = SplitKind::word_and_punctuation,
                                       .standardize = {.standardize = Standardization::none},
                                       .has_start_end = true});
  CHECK(tokenizer.tokens("Hello, world! (It's 12.5 %)") ==
        Tokens{" Hello", ",", " world", "!", " (", "It", "'", "s", " 12", ".", "5", " %", ")"});
  CHECK(tokenizer.tokens("¿Dónde?—“Aquí”… €5😀😀") ==
        Tokens{" ¿", "Dónde", "?", "—", "“", "Aquí", "”", "…", " €", "5", "😀", "😀"});
  CHECK(tokenizer.tokens(" \t ").empty());
  CHECK(tokenizer.tokens("").empty());
  for (const std::string text : {"Hello, world!", "¿Dónde está?", "\"A\", he said; 'no'...", "x - y-z", "!",
                                 "a_b@c.de", "I can't [PAD] [UNK]!", "\u2581 x\u2581y", "a\u00A0b"}) {
    CHECK(tokenizer.join(tokenizer.tokens(text)) == text);
    CHECK(tokenizer.tokens("  " + text + "\t ") == tokenizer.tokens(text));
  }
  // Nobody knows whether a space stood before an unknown word: a reader is given one.
  CHECK(tokenizer.decode(tokenizer.encode("The old, zebra house!")) == "The old, [UNK] house!");
  CHECK(tokenizer.decode(tokenizer.encode("The old, zebra!"), UnknownTokens::skipped) == "The old,!");
}

TEST_CASE("special tokens never come from text") {
  for (const SplitKind split : kSplits) {
    const Tokenizer tokenizer = learned(
        {.split = split, .standardize = {.standardize = Standardization::none}, .has_start_end = true});
    for (const std::int32_t id : tokenizer.encode("[PAD] [START] [END] [PAD][UNK]"))
      CHECK((id == 1 || id > 3));
    CHECK(tokenizer.id_of_token("[PAD]") == 1);
    CHECK(tokenizer.id_of_token("[START]") == 1);
  }
}

TEST_CASE("decoding: words joined by one space, characters by nothing, special tokens left out") {
  const Tokenizer words = learned({.has_start_end = true});
  const std::vector<std::int32_t> ids = words.encode("The red zebra HOUSE");
  CHECK(words.decode(ids) == "the red [UNK] house");
  CHECK(words.decode(ids, UnknownTokens::skipped) == "the red house");
  CHECK(words.decode(std::vector<std::int32_t>{2, ids[0], 3, 0, 0}) == "the");
  CHECK(words.decode({}).empty());
  const Tokenizer characters = learned({.split = SplitKind::character});
  CHECK(characters.decode(characters.encode("Red house")) == "red house");
  CHECK_THROWS_WITH_AS(words.decode(std::vector<std::int32_t>{999}),
                       doctest::Contains("id 999 is not in the vocabulary"), Error);
  CHECK_THROWS_AS(words.decode(std::vector<std::int32_t>{-1}), Error);
  CHECK_THROWS_AS(words.surface(words.vocabulary_size()), Error);
}

TEST_CASE("the hash names the vocabulary") {
  const Tokenizer tokenizer = learned({});
  CHECK(tokenizer.hash().size() == 32);
  CHECK(tokenizer.hash() == learned({}).hash());
  CHECK(tokenizer.hash() != learned({.size = 10}).hash());
  CHECK(tokenizer.hash() != learned({.has_start_end = true}).hash());
}

TEST_CASE("normalizers and pre-tokenizers of other files") {
  CHECK(tokens_with("null", "null", "a b ") == Tokens{"a b "});
  CHECK(tokens_with("null", "null", "").empty());
  CHECK(
      tokens_with(R"({"type":"Lowercase"})", R"({"type":"Whitespace"})", "Don’t stop-me_2, Ünï!? x\u00A0y") ==
      Tokens{"don", "’", "t", "stop", "-", "me_2", ",", "ünï", "!?", "x", "y"});
  CHECK(tokens_with("null", R"({"type":"WhitespaceSplit"})", " a\u3000b\u0085c\u200Bd ") ==
        Tokens{"a", "b", "c\u200Bd"});
  CHECK(tokens_with(R"({"type":"NFC"})", "null", "e\u0301") == Tokens{"é"});
  CHECK(tokens_with(R"({"type":"NFKD"})", "null", "\uFB01") == Tokens{"fi"});
  CHECK(tokens_with(R"({"type":"Strip","strip_left":true,"strip_right":false})", "null", "\u3000 a ") ==
        Tokens{"a "});
  CHECK(tokens_with(R"({"type":"Strip","strip_left":false,"strip_right":true})", "null", " a \u00A0") ==
        Tokens{" a"});
  CHECK(tokens_with(R"({"type":"Strip","strip_left":true,"strip_right":true})", "null", "   ").empty());
  CHECK(tokens_with(R"({"type":"Prepend","prepend":"_"})", "null", "a") == Tokens{"_a"});
  CHECK(tokens_with(R"({"type":"Prepend","prepend":"_"})", "null", "").empty());
  CHECK(tokens_with(R"({"type":"Replace","pattern":{"String":"aa"},"content":"b"})", "null", "aaa") ==
        Tokens{"ba"});
  CHECK(tokens_with(R"({"type":"Replace","pattern":{"Regex":"[0-9]+"},"content":"#"})", "null", "a12b3é") ==
        Tokens{"a#b#é"});
  CHECK(
      tokens_with("null",
                  R"({"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},{"type":"Whitespace"}]})",
                  "a-b c") == Tokens{"a", "-", "b", "c"});
}

TEST_CASE("the behaviours of Split") {
  const auto split = [](const char* behavior, const char* invert = "false") {
    return tokens_with("null",
                       std::string(R"({"type":"Split","pattern":{"String":"-"},"behavior":")") + behavior +
                           R"(","invert":)" + invert + "}",
                       "the-final--countdown");
  };
  CHECK(split("Removed") == Tokens{"the", "final", "countdown"});
  CHECK(split("Isolated") == Tokens{"the", "-", "final", "-", "-", "countdown"});
  CHECK(split("MergedWithPrevious") == Tokens{"the-", "final-", "-", "countdown"});
  CHECK(split("MergedWithNext") == Tokens{"the", "-final", "-", "-countdown"});
  CHECK(split("Contiguous") == Tokens{"the", "-", "final", "--", "countdown"});
  CHECK(split("Removed", "true") == Tokens{"-", "-", "-"});
}

TEST_CASE("hostile and foreign files: one line that names the place") {
  CHECK(message_of("").starts_with("t.json:1:"));
  CHECK(message_of("[]") == "t.json: expected an object");
  CHECK(message_of(file_with("version", "\"2.0\"")) == "t.json: version: expected \"1.0\"");
  CHECK(message_of(file_with("normalizer", R"({"type":"Transliterate"})"))
            .starts_with("t.json: normalizer: unsupported type \"Transliterate\""));
  CHECK(message_of(
            file_with("normalizer", R"({"type":"Sequence","normalizers":[{"type":"NFC"},{"type":"X"}]})"))
            .starts_with("t.json: normalizer.normalizers[1]: unsupported type \"X\""));
  CHECK(message_of(file_with("pre_tokenizer", R"({"type":"UnicodeScripts"})"))
            .starts_with("t.json: pre_tokenizer: unsupported type \"UnicodeScripts\""));
  CHECK(message_of(file_with("decoder", R"({"type":"Morse"})"))
            .starts_with("t.json: decoder: unsupported type \"Morse\""));
  CHECK(message_of(file_with("post_processor", R"({"type":"Stamp"})"))
            .starts_with("t.json: post_processor: unsupported type \"Stamp\""));
  CHECK(message_of(file_with("padding", "3")) == "t.json: padding: expected an object or null");
  CHECK(message_of(file_with("model", R"({"type":"Abacus"})"))
            .starts_with("t.json: model: unsupported type \"Abacus\" (supported: WordLevel, "));
  const auto model = [](const std::string& vocab) {
    return message_of(
        file_with("model", R"({"type":"WordLevel","vocab":)" + vocab + R"(,"unk_token":"[UNK]"})"));
  };
  CHECK(model("[]") == "t.json: model.vocab: expected an object");
  CHECK(model("{}").starts_with("t.json: model.unk_token: \"[UNK]\" is not in the vocabulary"));
  CHECK(model(R"({"[UNK]":0,"a":2})").starts_with("t.json: model.vocab: the id of \"a\" is not in 0 .. 1"));
  CHECK(model(R"({"[UNK]":0,"a":0})") == "t.json: model.vocab: id 0 stands twice");
  CHECK(model(R"({"[UNK]":0,"a":-1})").starts_with("t.json: model.vocab: the id of \"a\""));
  CHECK(model(R"({"[UNK]":0,"a":18446744073709551616})").starts_with("t.json: model.vocab: the id of \"a\""));
  CHECK(model(R"({"[UNK]":0,"a":1.5})").starts_with("t.json: model.vocab: the id of \"a\""));
  CHECK(model(R"({"[UNK]":0,"":1})") == "t.json: model.vocab: an empty token");
  for (const char* character : {"\\n", "\\r", "\\t", "\\u0000"}) {  // N lines in are N lines out
    const std::string message = model(R"({"[UNK]":0,"a)" + std::string(character) + R"(b":1})");
    CHECK(message.starts_with("t.json: model.vocab: the token \"a"));
    CHECK(message.ends_with(" holds a line end, TAB or NUL, which would break lines (remove it)"));
  }
  CHECK(model(R"({"[UNK]":0,"a\u000bb\f c":1})") == "no error");
  CHECK(message_of(file_with("normalizer", R"({"type":"Replace","pattern":{"Regex":"("},"content":""})"))
            .starts_with("t.json: normalizer.pattern: regular expression \"(\": "));
  CHECK(message_of(file_with("normalizer", R"({"type":"Replace","pattern":{"String":""},"content":""})"))
            .starts_with("t.json: normalizer.pattern: an empty string"));
  CHECK(message_of(file_with("normalizer", R"({"type":"Lowercase","language":"tr"})")) ==
        "t.json: normalizer: unknown member \"language\"");
  CHECK(message_of(file_with("normalizer", "3")) == "t.json: normalizer: expected an object or null");
  CHECK(message_of(
            file_with("pre_tokenizer",
                      R"({"type":"Split","pattern":{"String":"a"},"behavior":"Gone","invert":false})")) ==
        "t.json: pre_tokenizer.behavior: unknown value \"Gone\"");
  const auto added = [](const std::string& token) {
    return message_of(file_with("added_tokens", "[" + token + "]"));
  };
  const std::string flags = R"("single_word":false,"lstrip":false,"rstrip":false,"normalized":false,)";
  CHECK(added(R"({"id":2,"content":"a",)" + flags + R"("special":true})")
            .starts_with("t.json: added_tokens[0]: the id of \"a\" does not agree"));
  CHECK(added(R"({"id":9,"content":"x",)" + flags + R"("special":true})")
            .starts_with("t.json: added_tokens[0]: the id of \"x\" does not agree"));
  CHECK(added(R"({"id":3,"content":"x\n",)" + flags + R"("special":true})")
            .starts_with("t.json: added_tokens[0]: the token \"x\\x0a\" holds a line end"));
  CHECK(added(R"({"id":3,"content":"[PAD]",)" + flags + R"("special":true})") == "no error");
  for (const char* json :
       {"{}", "{\"model\":null}", "{\"model\":{}}", "null", "{\"model\":{\"type\":\"WordLevel\"}}"}) {
    const std::string message = message_of(json);
    CHECK(message != "no error");
    CHECK(message.find('\n') == message.npos);
  }
}

TEST_CASE("an added token after the vocabulary, and members that mean nothing") {
  Json file = Json::parse(file_with("comment", "\"x\""), "t.json");
  const Tokenizer tokenizer = Tokenizer::parse(file.dump(), "t.json");
  REQUIRE(tokenizer.warnings().size() == 1);
  CHECK(tokenizer.warnings()[0] == "t.json: unknown member \"comment\" is ignored");
  const Tokenizer padded = Tokenizer::parse(
      file_with(
          "added_tokens",
          R"([{"id":3,"content":"[PAD]","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true}])"),
      "t.json");
  CHECK(padded.pad_id() == 3);
  CHECK(padded.vocabulary_size() == 4);
}

TEST_CASE("an expression that backtracks for ever ends in an error") {
  const std::string normalizer = R"j({"type":"Replace","content":"","pattern":{"Regex":"(a|aa)+(?=$x)"}})j";
  std::string line(200, 'a');
  line += 'b';
  CHECK_THROWS_WITH_AS(
      tokens_with(normalizer, "null", line),
      doctest::Contains("t.json: normalizer: regular expression \"(a|aa)+(?=$x)\": takes too long"), Error);
}

TEST_CASE("an expression that takes a little too long on each of many lines ends in an error" *
          doctest::test_suite("timed")) {
  const auto encode_many = [](const std::string& expression, int lines) {
    Json file = Json::parse(file_with("normalizer", "null"), "test");
    file.set("pre_tokenizer",
             Json::parse(R"({"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},{"type":"Split",)"
                         R"("behavior":"Removed","pattern":{"Regex":")" +
                             expression + R"("}}]})",
                         "value"));
    const Tokenizer tokenizer = Tokenizer::parse(file.dump(), "t.json");
    for (int i = 0; i < lines; ++i) (void)tokenizer.encode("aaaaaaaaaaaaaaaaaaaaaaaab c");
  };
  CHECK_THROWS_WITH_AS(encode_many("(a|aa)+(?=$x)", 100000),
                       doctest::Contains("t.json: pre_tokenizer.pretokenizers[1]: regular expression"),
                       Error);
  CHECK_NOTHROW(encode_many("[a-f]+(?=c)", 20000));  // and an ordinary one does not
}

TEST_CASE("a line grows to 16 times its bytes and 4 KiB, and no further") {
  const auto replace = [](const std::string& from, const std::string& to) {
    return R"({"type":"Replace","pattern":{"String":")" + from + R"("},"content":")" + to + R"("})";
  };
  std::string doubling;
  for (int i = 0; i < 40; ++i) doubling += (i == 0 ? "" : ",") + replace("a", "aa");
  const std::string bomb = R"({"type":"Sequence","normalizers":[)" + doubling + "]}";
  CHECK_THROWS_WITH_AS(
      tokens_with(bomb, "null", "a"),
      "t.json: normalizer.normalizers[12]: the line grows beyond 4112 bytes (at most 16 times, "
      "plus 4 KiB)",
      Error);
  // Sixteen thousand times in one step is found before the memory is asked for.
  const std::string million(1 << 20, 'x');
  CHECK_THROWS_WITH_AS(tokens_with(replace("a", million), "null", std::string(1 << 16, 'a')),
                       doctest::Contains("t.json: normalizer: the line grows beyond"), Error);
  CHECK_THROWS_AS(tokens_with(R"({"type":"Prepend","prepend":")" + million + R"("})", "null", "a"), Error);
  CHECK(tokens_with(replace("a", std::string(4112, 'x')), "null", "a").front().size() == 4112);
  CHECK_THROWS_AS(tokens_with(replace("a", std::string(4113, 'x')), "null", "a"), Error);
  CHECK(tokens_with(R"({"type":"NFKD"})", "null", "\uFDFA").front().size() == 33);
  std::string parts;
  for (int i = 0; i < 257; ++i) parts += (i == 0 ? "" : ",") + std::string(R"({"type":"NFC"})");
  CHECK_THROWS_WITH_AS(tokens_with(R"({"type":"Sequence","normalizers":[)" + parts + "]}", "null", "a"),
                       "t.json: normalizer.normalizers[256]: more than 256 parts", Error);
}
