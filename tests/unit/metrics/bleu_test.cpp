#include "metrics/bleu.hpp"

#include <doctest/doctest.h>
#include <cmath>

#include "metrics/parallel_text.hpp"
#include "support/error.hpp"

using namespace headwater;

namespace {

using Lines = std::vector<std::string>;

std::string joined(std::string_view line, BleuTokenization tokenization) {
  const std::string tokens = bleu_tokens(line, tokenization);
  std::string text;
  for_each_word(tokens, [&](std::string_view word) { text.append(text.empty() ? "" : " ").append(word); });
  return text;
}

double bleu(const Lines& hypotheses, const std::vector<Lines>& references,
            const BleuSettings& settings = {}) {
  return corpus_bleu(hypotheses, references, settings).score;
}

}  // namespace

TEST_CASE("13a splits marks, but no hyphens, apostrophes and points inside numbers") {
  const auto tokens = [](std::string_view line) { return joined(line, BleuTokenization::mteval_13a); };
  CHECK(tokens("Hello, world!") == "Hello , world !");
  CHECK(tokens("It's a well-known 1,000.5 (or 3-4).") == "It's a well-known 1,000.5 ( or 3 - 4 ) .");
  CHECK(tokens("a..b") == "a . . b");
  CHECK(tokens(".5 5.") == ". 5 5 .");
  CHECK(tokens("&quot;a&quot; &amp;lt; b") == "\" a \" < b");
  CHECK(tokens("x <skipped> y") == "x y");
  CHECK(tokens("¿Dónde está?") == "¿Dónde está ?");
  CHECK(tokens("dos\u00A0palabras\u3000más \u2028") == "dos palabras más");
  CHECK(tokens("") == "");
}

TEST_CASE("intl splits punctuation and symbols of every script, unless a number stands beside them") {
  const auto tokens = [](std::string_view line) { return joined(line, BleuTokenization::international); };
  CHECK(tokens("¿Dónde está?") == "¿ Dónde está ?");
  CHECK(tokens("5 € = 5,50 $, o no.") == "5 € = 5,50 $ , o no .");
  CHECK(tokens("in 1999.") == "in 1999.");  // as mteval-v14
}

TEST_CASE("char counts every character that is no white space") {
  CHECK(joined("añ o ", BleuTokenization::characters) == "a ñ o");
  CHECK(joined("a  b\t", BleuTokenization::none) == "a b");
}

TEST_CASE("identical text scores 100, disjoint text 0") {
  const Lines text = {"the red house stands on the hill", "a second line , with a mark"};
  CHECK(bleu(text, {text}) == doctest::Approx(100));
  const BleuScore nothing = corpus_bleu(Lines{"x y z w v", "u"}, std::vector<Lines>{text});
  CHECK(nothing.score == 0);
  CHECK(nothing.counts == std::array<std::int64_t, 4>{0, 0, 0, 0});
  CHECK(nothing.totals == std::array<std::int64_t, 4>{6, 4, 3, 2});
}

TEST_CASE("counts are clipped by the largest count in any one reference") {
  const Lines hypothesis = {"the the the the the the the"};
  const Lines first = {"the cat is on the mat"}, second = {"there is a cat on the mat"};
  CHECK(corpus_bleu(hypothesis, std::vector<Lines>{first, second}).counts[0] == 2);
  CHECK(corpus_bleu(hypothesis, std::vector<Lines>{second, first}).counts[0] == 2);
  CHECK(corpus_bleu(hypothesis, std::vector<Lines>{second}).counts[0] == 1);
}

TEST_CASE("the closest reference length counts, of two the shorter") {
  const Lines hypothesis = {"a b c d"};
  CHECK(corpus_bleu(hypothesis, std::vector<Lines>{{"a b c d e"}, {"a b c"}}).reference_length == 3);
  CHECK(corpus_bleu(hypothesis, std::vector<Lines>{{"a b c d e f"}, {"a b c"}}).reference_length == 3);
  CHECK(corpus_bleu(hypothesis, std::vector<Lines>{{"a b"}, {"a b c d e"}}).reference_length == 5);
}

TEST_CASE("brevity penalty and its ends") {
  const BleuScore half = corpus_bleu(Lines{"a b c d"}, std::vector<Lines>{{"a b c d e f g h"}});
  CHECK(half.brevity_penalty == doctest::Approx(std::exp(-1.0)));
  CHECK(half.score == doctest::Approx(100 * std::exp(-1.0)));
  const BleuScore empty = corpus_bleu(Lines{""}, std::vector<Lines>{{"a b"}});
  CHECK(empty.score == 0);
  CHECK(empty.brevity_penalty == 0);
  const BleuScore both = corpus_bleu(Lines{""}, std::vector<Lines>{{""}});
  CHECK(both.score == 0);
  CHECK(both.brevity_penalty == 1);
}

TEST_CASE("smoothing of orders without a match") {
  const Lines hypothesis = {"a b c x e f"}, reference = {"a b d x g f"};  // 4 of 6, 1 of 5, 0 of 4, 0 of 3
  const auto score = [&](BleuSmoothing smoothing) {
    return corpus_bleu(hypothesis, std::vector<Lines>{reference}, {.smoothing = smoothing});
  };
  CHECK(score(BleuSmoothing::exponential).precisions[2] == doctest::Approx(100.0 / (2 * 4)));
  CHECK(score(BleuSmoothing::exponential).precisions[3] == doctest::Approx(100.0 / (4 * 3)));
  CHECK(score(BleuSmoothing::floor).precisions[2] == doctest::Approx(100 * 0.1 / 4));
  CHECK(score(BleuSmoothing::add_k).precisions[0] == doctest::Approx(100 * 4.0 / 6));
  CHECK(score(BleuSmoothing::add_k).precisions[1] == doctest::Approx(100 * 2.0 / 6));
  CHECK(score(BleuSmoothing::none).score == 0);
}

TEST_CASE("single sentences leave out orders they are too short for") {
  const std::vector<BleuScore> scores =
      sentence_bleu(Lines{"a b", "a", ""}, std::vector<Lines>{{"a b", "b", ""}});
  REQUIRE(scores.size() == 3);
  CHECK(scores[0].score == doctest::Approx(100));
  CHECK(scores[1].score == 0);
  CHECK(scores[2].score == 0);
  CHECK(bleu({"a b"}, {{"a b"}}) == 0);  // corpus scores need all four
}

TEST_CASE("lower-casing knows more than ASCII") {
  CHECK(bleu({"ÁRBOL GRANDE DE LA CASA"}, {{"árbol grande de la casa"}}) == 0);
  CHECK(bleu({"ÁRBOL GRANDE DE LA CASA"}, {{"árbol grande de la casa"}}, {.is_lowercased = true}) ==
        doctest::Approx(100));
}

TEST_CASE("signatures and details") {
  CHECK(bleu_signature({}, 1) == "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:headwater-0.1.0");
  const BleuSettings settings{.tokenization = BleuTokenization::international,
                              .smoothing = BleuSmoothing::floor,
                              .is_lowercased = true};
  CHECK(bleu_signature(settings, 3) ==
        "nrefs:3|case:lc|eff:no|tok:intl|smooth:floor[0.10]|version:headwater-0.1.0");
  const BleuScore score = corpus_bleu(Lines{"a b c d"}, std::vector<Lines>{{"a b c d"}});
  CHECK(bleu_details(score) == "100.0/100.0/100.0/100.0 (BP = 1.000 ratio = 1.000 hyp_len = 4 ref_len = 4)");
}

TEST_CASE("numbers of lines that differ are an error with both numbers") {
  CHECK_THROWS_WITH_AS(bleu({"a", "b"}, {{"a"}}),
                       doctest::Contains("2 hypotheses, but 1 lines in reference set 1"), Error);
  CHECK_THROWS_WITH_AS(bleu({"a"}, {{"a"}, {}}), doctest::Contains("reference set 2"), Error);
  CHECK_THROWS_AS(bleu({}, {Lines{}}), Error);
  CHECK_THROWS_AS(bleu({"a"}, {}), Error);
}

TEST_CASE("many lines give the sum of their counts, whatever the chunks") {
  Lines hypotheses, references;
  for (int i = 0; i < 1500; ++i) {
    hypotheses.push_back("a b c d " + std::to_string(i));
    references.push_back("a b c d " + std::to_string(i % 2 == 0 ? i : -1));
  }
  const BleuScore score = corpus_bleu(hypotheses, std::vector<Lines>{references});
  CHECK(score.counts == std::array<std::int64_t, 4>{6750, 5250, 3750, 2250});
  CHECK(score.totals == std::array<std::int64_t, 4>{7500, 6000, 4500, 3000});
}
