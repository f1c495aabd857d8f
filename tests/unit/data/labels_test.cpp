#include "data/labels.hpp"

#include <doctest/doctest.h>

#include "support/error.hpp"

using namespace headwater;

using Labels = std::vector<std::string>;

TEST_CASE("labels: numbers by value, names by bytes") {
  WordTable counts;
  for (const char* label : {"10", "9", "2", "0"}) ++counts.value(label);
  CHECK(LabelSet::learn(counts).labels() == Labels{"0", "2", "9", "10"});
  ++counts.value("007");
  CHECK(LabelSet::learn(counts).labels() == Labels{"0", "007", "10", "2", "9"});
  WordTable names;
  for (const char* label : {"pos", "neg", "Neutral", "é"}) ++names.value(label);
  const LabelSet set = LabelSet::learn(names);
  CHECK(set.labels() == Labels{"Neutral", "neg", "pos", "é"});
  CHECK(set.find("pos") == 2);
  CHECK(set.find("po") == -1);
  CHECK(set.to_text() == "Neutral\nneg\npos\né\n");
  CHECK(LabelSet::parse(set.to_text(), "l").labels() == set.labels());
  CHECK(LabelSet::parse("a\r\nb", "l").labels() == Labels{"a", "b"});
}

TEST_CASE("labels: bad files") {
  CHECK_THROWS_WITH_AS(LabelSet::parse("", "l.txt"), "l.txt: no labels (one label a line)", Error);
  CHECK_THROWS_WITH_AS(LabelSet::parse("a\n\nb\n", "l.txt"), "l.txt:2: an empty label (one label a line)",
                       Error);
  CHECK_THROWS_WITH_AS(LabelSet::parse("a\nb\na\n", "l.txt"),
                       "l.txt:3: the label \"a\" stands twice (a label set has one label a line, each once)",
                       Error);
  CHECK_THROWS_AS(LabelSet::parse("a\n\xFF\n", "l.txt"), Error);
  CHECK_THROWS_WITH_AS(
      LabelSet::parse("a\nb\tc\n", "l.txt"),
      "l.txt:2: the label \"b\\x09c\" holds a line end, TAB or NUL, which would break lines (remove it)",
      Error);
  CHECK_THROWS_AS(LabelSet::parse("a\rb\n", "l.txt"), Error);
  CHECK_THROWS_AS(LabelSet::parse(std::string_view("a\0b\n", 4), "l.txt"), Error);
  WordTable columns;
  ++columns.value("x\ty");
  CHECK_THROWS_AS(LabelSet::learn(columns), Error);
  CHECK_THROWS_AS(LabelSet::learn(WordTable()), Error);
}
