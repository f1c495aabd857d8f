#include "reports/text_page.hpp"

#include <doctest/doctest.h>

using namespace headwater;

TEST_CASE(
    "a line ends in repetitions: up to four words, three times, whatever the punctuation between them, or "
    "characters") {
  for (const char* line :
       {"of the end of the end of the end", "la la la.", "he said that, he said that, he said that.",
        "one two three four one two three four one two three four", "no . no . no .", "de enenenenenen",
        "哈哈哈哈哈哈哈哈哈哈哈哈", "------------"})
    CHECK_MESSAGE(ends_in_repetitions(line), line);
  for (const char* line : {"the end of the end of the end", "no no, I said no", "la la", "a b a b", "", "one",
                           "it is la la la here", "la.la.la", "enenenenen", "哈哈哈哈", "enenenenenen!?"})
    CHECK_MESSAGE(!ends_in_repetitions(line), line);
}

TEST_CASE("first sentences, whole or so many words of them") {
  CHECK(first_sentence("One, two 2.5 three. Four", 0) == "One, two 2.5 three.");
  CHECK(first_sentence("no end", 0) == "no end");
  CHECK(first_sentence("Is it? Yes", 0) == "Is it?");
  CHECK(first_sentence("end.", 0) == "end.");
  CHECK(first_sentence("One, two 2.5 three. Four", 2) == "One, two");
  CHECK(first_sentence("a  b", 5) == "a b");
  CHECK(first_sentence("", 2).empty());
}

TEST_CASE("lines are spread evenly: every second of forty, all where there are fewer") {
  std::vector<std::size_t> every_second;
  for (std::size_t i = 1; i < 40; i += 2) every_second.push_back(i);
  CHECK(spread_lines(40, 20) == every_second);
  CHECK(spread_lines(3, 20) == std::vector<std::size_t>{0, 1, 2});
  CHECK(spread_lines(0, 20).empty());
  for (const std::size_t lines : {21u, 37u, 199u, 12345u}) CHECK(spread_lines(lines, 20).size() == 20);
}

TEST_CASE("references of sentences: of the first part that has the source, and which that is") {
  const std::vector<ReferencePairs> parts{{"", {"a", "a"}, {"A of test", "A again"}},
                                          {"  (of the validation set)", {"a", "b"}, {"A of validation", "B"}},
                                          {"  (of the training set)", {"b", "c"}, {"B of train", "C"}}};
  CHECK(references_of({"a", "b", "c", "d", "a"}, parts) ==
        TextLines{"A of test", "B  (of the validation set)", "C  (of the training set)", "", "A of test"});
}

TEST_CASE("samples by their word, and how many end in repetitions") {
  CHECK(markdown_of(samples_part("lines", {{"x", "y"}, {"la la la", ""}, {"X", "\x1b[31m"}}, "summary",
                                 {"la la la", "", "b"})) ==
        "\n## samples: lines\n\n```\n"
        "source       x\nreference    X\nsummary      la la la\n"
        "source       y\nreference    \\x1b[31m\nsummary      \n```\n"
        "\nend in repetitions: 1 of 2 of these; 1 of 3 of the test set\n");
}

TEST_CASE("scores against references that the tokenizer changed have no signature") {
  const TestTexts test{{"x"}, {"the old red house"}, {"The old red house"}};
  const std::string same = markdown_of(translation_scores("test", test, test.references));
  CHECK(same.starts_with("\n## test: 1 sentence\n\nagainst the references as they are\n"));
  CHECK(same.find("as the tokenizer sees them") == std::string::npos);
  const std::string other = markdown_of(translation_scores("test", test, {"the old red house"}));
  REQUIRE(other.starts_with(same));
  const std::string third = other.substr(same.size());
  CHECK(third.find("nrefs:") == std::string::npos);
  CHECK_MESSAGE(third.find("\nBLEU    100.00  ") != std::string::npos, third);
}

TEST_CASE("the same test by other searches, and exact answers") {
  CHECK(decoding_scores({{"greedy", {"a b c d"}}, {"beam 2", {"A b c d"}}}, {"A b c d"}) ==
        "search    BLEU  BLEU, lower-cased   chrF2\n"
        "------  ------  -----------------  ------\n"
        "greedy   59.46             100.00   47.92\n"
        "beam 2  100.00             100.00  100.00\n");
  CHECK(exactly_right({"a", "b", "c"}, {"a", "x", "c"}) == "exactly right: 2 of 3 (66.7 %)");
  CHECK(exactly_right({}, {}) == "exactly right: 0 of 0 (0.0 %)");
}

TEST_CASE("summaries beside the first sentences of their texts") {
  const std::string text =
      markdown_of(summary_scores({{"One two three. Four five"}, {"four five"}, {"four five six"}}, {"one"}));
  CHECK(
      text.find("\nthe model                    0.8000   0.6667   0.8000      0.5000      0.0000    2.0\n") !=
      std::string::npos);
  CHECK(text.find("\nthe right summaries          1.0000 ") != std::string::npos);
  CHECK(text.ends_with("\nthe model is above the first sentences in 3 of 3, with 4 beams in 0 of 3\n"));
}
