#include "support/csv.hpp"

#include <doctest/doctest.h>

#include "support/error.hpp"

using namespace headwater;

namespace {

std::vector<std::string> texts_of(std::vector<std::string_view> lines, CsvSettings settings) {
  CsvColumns columns(std::move(settings), "f.csv");
  std::vector<std::string> texts;
  std::string_view text;
  for (const std::string_view line : lines) {
    if (columns.add_line(line, text)) texts.emplace_back(text);
  }
  columns.finish();
  return texts;
}

CsvGuess guess_of(std::vector<std::string> lines) {
  CsvGuess guess;
  for (const std::string& line : lines) guess.add(line);
  return guess;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("columns of CSV: by name, by number, all; a record is one line") {
  CHECK(texts_of({"a, b ,c", "1,\"2", "3\",4"}, {.columns = {"c", "b"}}) == Texts{"4\t2 3"});
  CHECK(texts_of({"a,b", "1,2"}, {.columns = {"2"}}) == Texts{"2"});
  CHECK(texts_of({"2,1", "x,y"}, {.columns = {"2"}}) == Texts{"x"});  // a name comes first
  CHECK(texts_of({"1;2"}, {.columns = {"2", "1"}, .separator = ';', .has_header = false}) == Texts{"2\t1"});
  CHECK(texts_of({"a", "", "x"}, {.wanted = 1}) == Texts{"", "x"});
  CHECK(texts_of({"a,b", "", "x,y"}, {}) == Texts{"x\ty"});
}

TEST_CASE("columns of CSV: what is not there, with the place") {
  CHECK_THROWS_WITH_AS(texts_of({"a,b"}, {.wanted = 1}),
                       "f.csv:1: 2 columns where one text is wanted (choose it with --column: \"a\", \"b\")",
                       Error);
  CHECK_THROWS_WITH_AS(texts_of({"a,b"}, {.columns = {"02"}}),
                       "f.csv:1: no column \"02\" (the header has \"a\", \"b\")", Error);
  CHECK_THROWS_WITH_AS(
      texts_of({"a,b", "\"x", "y\""}, {}),
      "f.csv:2: 1 field where the first record has 2 (a field that holds , stands in quotes)", Error);
  CHECK_THROWS_WITH_AS(texts_of({}, {}), "f.csv: no records (the file is empty)", Error);
}

TEST_CASE("a guess whether lines are CSV") {
  CHECK(guess_of({"text,label", "a film,pos"}).text() ==
        "looks like CSV of 2 fields (\"text\", \"label\"), which is no column of text");
  CHECK(guess_of({"x;y", "\"a; b\";c"}).separator_option() == "--separator ';'");
  CHECK(guess_of(Texts(20, "a,b")).is_csv());
  CHECK_FALSE(guess_of(Texts(19, "a,b")).is_csv());
  CHECK_FALSE(guess_of({"\"A film\", he said.", "\"No\", she said."}).is_csv());
  CHECK_FALSE(guess_of({"text,label", "a\tb,pos"}).is_csv());
  CHECK_FALSE(guess_of({"text,label", "a,b,c"}).is_csv());
  CHECK_FALSE(guess_of({}).is_csv());
}
