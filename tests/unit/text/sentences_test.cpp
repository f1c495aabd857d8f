#include "text/unicode/sentences.hpp"

#include <doctest/doctest.h>

using namespace headwater;

TEST_CASE("sentences are those of Unicode's rules, without white space around them") {
  using Sentences = std::vector<std::string_view>;
  CHECK(sentences_of("He came.  She left! Why?") == Sentences{"He came.", "She left!", "Why?"});
  CHECK(sentences_of("It cost 3.50 in 1999.") == Sentences{"It cost 3.50 in 1999."});
  CHECK(sentences_of("„Nein.“ Größe zählt. ") == Sentences{"„Nein.“", "Größe zählt."});
  CHECK(sentences_of("你好。再见。") == Sentences{"你好。", "再见。"});
  CHECK(sentences_of("no end") == Sentences{"no end"});
  CHECK(sentences_of("").empty());
  CHECK(sentences_of(" \t ").empty());
}

TEST_CASE("a line break of HTML ends a sentence and is left out") {
  using Sentences = std::vector<std::string_view>;
  CHECK(sentences_of("Bad film.<br /><br />Good music <br /> anyway") ==
        Sentences{"Bad film.", "Good music", "anyway"});
  CHECK(sentences_of("<br />").empty());
  CHECK(sentences_of("a <br> b") == Sentences{"a <br> b"});
}
