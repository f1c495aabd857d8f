// Alignment error rate: figures by hand, and lines that are none.
#include "metrics/word_alignment.hpp"

#include <doctest/doctest.h>

#include "error_text.hpp"
#include "metrics/text_metrics.hpp"

using namespace headwater;

namespace {

AlignmentCounts counts_of(std::string_view found, std::string_view right) {
  AlignmentCounts counts;
  counts.add(read_alignment(found), read_alignment(right));
  return counts;
}

double rate_of(const std::vector<std::string>& found, const std::vector<std::string>& right) {
  const std::vector<std::vector<std::string>> references = {right};
  const TextMetricSettings settings;
  ScoredTexts texts(found, references, settings);
  const Score score = find_text_metric("aer")->score(texts);
  CHECK(score.members.back().first == "signature");
  CHECK(find_text_metric("aer")->sentence_scores(texts).size() == found.size());
  return score.value;
}

}  // namespace

TEST_CASE("alignment error rate: sure links must be found, possible ones may be") {
  CHECK(counts_of("0-0 1-1", "0-0 1-1").error_rate() == doctest::Approx(0));
  CHECK(counts_of("0-0 1-1", "0-1 1-0").error_rate() == doctest::Approx(1));
  // A = {00, 11, 22}, S = {00, 11}, P = S and {22}: 1 - (2 + 3) / (3 + 2).
  CHECK(counts_of("0-0 1-1 2-2", "0-0 1-1 2?2").error_rate() == doctest::Approx(0));
  // One of A is right surely, one possibly, one not: 1 - (1 + 2) / (3 + 2).
  const AlignmentCounts counts = counts_of("0-0 2-2 3-1", "0-0 1-1 2p2");
  CHECK(counts.error_rate() == doctest::Approx(0.4));
  CHECK(counts.precision() == doctest::Approx(2.0 / 3));
  CHECK(counts.recall() == doctest::Approx(0.5));
  CHECK(counts_of("", "").error_rate() == 0);
  CHECK(counts_of("", "0-0").error_rate() == 1);
  // The lines of a file are counted together, not averaged: 1 - (1 + 1) / (1 + 3).
  CHECK(rate_of({"0-0", ""}, {"0-0", "0-0 1-1"}) == doctest::Approx(0.5));
}

TEST_CASE("links in any order, again and again; a link that is both is sure") {
  CHECK(read_alignment("2-1 0-0  2-1 ").sure == std::vector<AlignmentLink>{{0, 0}, {2, 1}});
  const Alignment both = read_alignment("0?0 0-0 1?1");
  CHECK(both.sure == std::vector<AlignmentLink>{{0, 0}});
  CHECK(both.possible == std::vector<AlignmentLink>{{1, 1}});
}

TEST_CASE("lines that are no alignments") {
  for (const char* line :
       {"x", "0", "0-", "-0", "0-0-0", "0:0", "-1-0", "99999999999-0", "0-0\t1-1", "0 - 0", "0-0,1-1"}) {
    INFO(line);
    CHECK(error_text([&] {
            read_alignment(line);
          }).ends_with("is no link of words (0-0, or 0?0 where it is possible only)"));
  }
  CHECK(error_text([] {
          rate_of({"0-0", "zero"}, {"0-0", "0-0"});
        }).starts_with("aer: line 2 of the hypotheses: \"zero\" "));
  CHECK(error_text([] {
          rate_of({"0?0"}, {"0-0"});
        }).starts_with("aer: line 1 of the hypotheses: a link that is possible"));
}
