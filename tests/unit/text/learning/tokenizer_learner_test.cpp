#include "text/learning/tokenizer_learner.hpp"

#include <doctest/doctest.h>

#include "support/error.hpp"
#include "support/parallel.hpp"
#include "support/random.hpp"

using namespace headwater;

namespace {

std::vector<std::string> surfaces(const Tokenizer& tokenizer) {
  std::vector<std::string> all;
  for (std::int32_t id = 0; id < tokenizer.vocabulary_size(); ++id) all.push_back(tokenizer.surface(id));
  return all;
}

Tokenizer learn(const WordTokenizerSettings& settings, std::string_view lines) {
  TokenizerLearner learner(settings);
  learner.add(lines);
  return learner.finish();
}

// `count` lines of words whose frequencies fall like natural ones, with many ties.
std::vector<std::string> some_lines(std::size_t count) {
  const RandomStream stream{.seed = 5, .purpose = Purpose::sample};
  std::vector<std::string> lines(count);
  std::uint64_t element = 0;
  for (std::string& line : lines) {
    const std::uint64_t words = random_below(stream, element++, 12);
    for (std::uint64_t i = 0; i < words; ++i) {
      const std::uint64_t range = std::uint64_t{1} << random_below(stream, element++, 14);
      line += "W" + std::to_string(random_below(stream, element++, range)) + (i % 3 == 0 ? "é, " : " ");
    }
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace

TEST_CASE("the documented example of the framework: counts descending, ties by bytes descending") {
  const Tokenizer tokenizer = learn({}, "foo bar\nbar baz\nbaz bada boom\n");
  CHECK(surfaces(tokenizer) ==
        std::vector<std::string>{"[PAD]", "[UNK]", "baz", "bar", "foo", "boom", "bada"});
  CHECK(tokenizer.encode("foo qux bar") == std::vector<std::int32_t>{4, 1, 3});
  CHECK(tokenizer.encode("qux baz") == std::vector<std::int32_t>{1, 2});
}

TEST_CASE("the size counts special tokens") {
  const std::string text = "a a a b b c\n";
  CHECK(surfaces(learn({.size = 4}, text)) == std::vector<std::string>{"[PAD]", "[UNK]", "a", "b"});
  const Tokenizer target = learn({.size = 6, .has_start_end = true}, text);
  CHECK(surfaces(target) == std::vector<std::string>{"[PAD]", "[UNK]", "[START]", "[END]", "a", "b"});
  CHECK(target.pad_id() == 0);
  CHECK(target.unknown_id() == 1);
  CHECK(target.start_id() == 2);
  CHECK(target.end_id() == 3);
  CHECK(learn({}, text).start_id() == -1);
  CHECK(learn({}, text).end_id() == -1);
  CHECK_THROWS_AS(TokenizerLearner({.size = 2}), UsageError);
  CHECK_THROWS_AS(TokenizerLearner({.size = 4, .has_start_end = true}), UsageError);
  CHECK_THROWS_AS(TokenizerLearner({.size = -1}), UsageError);
  CHECK_THROWS_AS(TokenizerLearner({.size = std::int64_t{1} << 31}), UsageError);
}

TEST_CASE("a template's tokens follow the usual special ones, and stand around what a model reads") {
  const Tokenizer tokenizer =
      learn({.more_special = {"[SEP]", "[X]"}, .text_template = TextTemplate::bert}, "a a b\n");
  CHECK(surfaces(tokenizer) ==
        std::vector<std::string>{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[X]", "a", "b"});
  const std::vector<std::int32_t> first = tokenizer.encode("a b"), second = tokenizer.encode("b");
  CHECK(first == std::vector<std::int32_t>{6, 7});
  CHECK(tokenizer.with_special_tokens(first) == std::vector<std::int32_t>{2, 6, 7, 3});
  CHECK(tokenizer.with_special_tokens(first, second) == std::vector<std::int32_t>{2, 6, 7, 3, 7, 3});
  CHECK(tokenizer.start_id() == 2);
  CHECK(tokenizer.end_id() == 3);
  CHECK(learn({}, "a a b\n").with_special_tokens(first) == first);
  CHECK_THROWS_AS(TokenizerLearner({.size = 5, .text_template = TextTemplate::bert}), UsageError);
  CHECK(parse_text_template("none") == TextTemplate::none);
  CHECK_THROWS_AS(parse_text_template("Bert"), UsageError);
}

TEST_CASE("ties stand by UTF-8 bytes, not by characters' collation") {
  CHECK(surfaces(learn({}, "z é 😀 a\n")) == std::vector<std::string>{"[PAD]", "[UNK]", "😀", "é", "z", "a"});
}

TEST_CASE("characters: white space is one, a line end is none") {
  const Tokenizer tokenizer = learn({.split = SplitKind::character}, "ab a\na\n");
  CHECK(surfaces(tokenizer) == std::vector<std::string>{"[PAD]", "[UNK]", "a", "b", " "});
}

TEST_CASE("characters that would break lines are not learned") {
  const Tokenizer tokenizer = learn({.split = SplitKind::character}, "a\t\t\r\v b\r\n\n");
  CHECK(surfaces(tokenizer) == std::vector<std::string>{"[PAD]", "[UNK]", "b", "a", " ", "\v"});
  CHECK(tokenizer.encode("\ta") == std::vector<std::int32_t>{1, 3});
}

TEST_CASE("text that spells a special token is not learned") {
  const Tokenizer tokenizer =
      learn({.standardize = {.standardize = Standardization::none}, .has_start_end = true},
            "[PAD] [PAD] [UNK] [START] x\n");
  CHECK(surfaces(tokenizer) == std::vector<std::string>{"[PAD]", "[UNK]", "[START]", "[END]", "x"});
  const Tokenizer source =
      learn({.standardize = {.standardize = Standardization::none}}, "[START] [START] x\n");
  CHECK(source.encode("[START] x [PAD]") == std::vector<std::int32_t>{2, 3, 1});
}

TEST_CASE("nothing to learn from is an error") {
  TokenizerLearner learner({});
  learner.add("");
  learner.add("\n\n !!! \n");
  CHECK_THROWS_WITH_AS(learner.finish(), "no tokens to learn from (the input is empty)", Error);
}

TEST_CASE("the same bytes for any order of lines, cut into blocks and number of threads") {
  std::vector<std::string> lines = some_lines(10000);
  for (const SplitKind split : {SplitKind::word, SplitKind::character, SplitKind::word_and_punctuation}) {
    const WordTokenizerSettings settings{.split = split, .size = 3000};
    const std::string expected = learn(settings, joined(lines)).to_json();
    for (const int threads : {1, 2, 3, 8}) {
      for (const std::size_t block : {std::size_t{1} << 30, std::size_t{100000}, std::size_t{777}}) {
        std::vector<std::string> shuffled;
        for (const std::uint32_t i :
             random_order({.seed = block + static_cast<std::uint64_t>(threads)}, lines.size())) {
          shuffled.push_back(lines[i]);
        }
        TokenizerLearner learner(settings);
        ThreadPool(threads).run([&] {
          std::string text;
          for (const std::string& line : shuffled) {
            text += line + "\n";
            if (text.size() >= block) {
              learner.add(text);
              text.clear();
            }
          }
          learner.add(text);
        });
        CHECK(learner.finish().to_json() == expected);
      }
    }
  }
}

TEST_CASE("the summary counts tokens, distinct ones and those covered") {
  TokenizerLearner learner({.size = 4});
  learner.add("a a a b b c\nc d");
  TokenizerLearner::Summary summary;
  learner.finish(&summary);
  CHECK(summary.tokens == 8);
  CHECK(summary.distinct == 4);
  CHECK(summary.covered == 5);
}

TEST_CASE("a table of many words finds each of them and no other") {
  WordTable table;
  for (std::uint64_t i = 0; i < 50000; ++i) table.value("word " + std::to_string(i * i)) += i + 1;
  CHECK(table.size() == 50000);
  bool is_good = true;
  for (std::uint64_t i = 0; i < 50000; ++i) {
    const WordTable::Entry* entry = table.find("word " + std::to_string(i * i));
    is_good = is_good && entry != nullptr && entry->value == i + 1 &&
              entry->word() == "word " + std::to_string(i * i);
  }
  CHECK(is_good);
  CHECK(table.find("word 2") == nullptr);
  CHECK(table.find("") == nullptr);
  const std::string zeros(9, '\0');
  table.value(std::string_view(zeros).substr(0, 8)) = 7;
  CHECK(table.find(zeros) == nullptr);
  CHECK(table.find(std::string_view(zeros).substr(1)) != nullptr);
}
