// Links of words: from tokens, and of both directions together.
#include "metrics/word_alignment.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "error_text.hpp"
#include "metrics/text_metrics.hpp"
#include "support/random.hpp"

using namespace headwater;

namespace {

AlignmentLinks links(std::string_view line) { return read_alignment(line).sure; }
std::string together(std::string_view forward, std::string_view inverse) {
  return pharaoh_line(grow_diag_final_and(links(forward), links(inverse)));
}

// By the words of the paper, on matrices.
AlignmentLinks naive_symmetrized(const AlignmentLinks& forward, const AlignmentLinks& inverse, int size) {
  std::vector<std::vector<int>> is_in(size, std::vector<int>(size));
  auto taken = is_in;
  const auto at = [](auto& matrix, int s, int t) -> auto& { return matrix[s][t]; };
  for (const auto* const side : {&forward, &inverse}) {
    for (const auto& [s, t] : *side) ++at(is_in, s, t);
  }
  const auto has_source = [&](int s) {
    for (int t = 0; t < size; ++t) {
      if (at(taken, s, t) != 0) return true;
    }
    return false;
  };
  const auto has_target = [&](int t) {
    for (int s = 0; s < size; ++s) {
      if (at(taken, s, t) != 0) return true;
    }
    return false;
  };
  for (int s = 0; s < size; ++s) {
    for (int t = 0; t < size; ++t) at(taken, s, t) = at(is_in, s, t) == 2 ? 1 : 0;
  }
  for (bool is_growing = true; is_growing;) {
    is_growing = false;
    const auto before = taken;
    for (int s = 0; s < size; ++s) {
      for (int t = 0; t < size; ++t) {
        if (at(before, s, t) == 0) continue;
        for (const auto& [ds, dt] : std::vector<std::pair<int, int>>{
                 {-1, 0}, {0, -1}, {1, 0}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}}) {
          const int s2 = s + ds, t2 = t + dt;
          if (s2 < 0 || t2 < 0 || s2 >= size || t2 >= size) continue;
          if (at(is_in, s2, t2) == 0 || at(taken, s2, t2) != 0 || (has_source(s2) && has_target(t2)))
            continue;
          at(taken, s2, t2) = 1;
          is_growing = true;
        }
      }
    }
  }
  for (const auto* const side : {&forward, &inverse}) {
    for (const auto& [s, t] : *side) {
      if (!has_source(s) && !has_target(t)) at(taken, s, t) = 1;
    }
  }
  AlignmentLinks result;
  for (int s = 0; s < size; ++s) {
    for (int t = 0; t < size; ++t) {
      if (at(taken, s, t) != 0) result.emplace_back(s, t);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("words are linked where any of their tokens are, each pair of words once") {
  const std::vector<std::int32_t> source = {-1, 0, 0, 1, -1}, target = {0, 1, 1, 2, -1};
  const std::vector<std::int64_t> source_of = {3, 1, 2, 3, 1, 4};
  CHECK(pharaoh_line(links_of_words(source_of, source, target)) == "0-1 1-0 1-2");
  // One of no word, on either side, is left out.
  CHECK(links_of_words(std::vector<std::int64_t>{0, 4}, source, std::vector<std::int32_t>{0, 1}).empty());
  CHECK(error_text([&] { (void)links_of_words(std::vector<std::int64_t>{5}, source, target); }) ==
        "alignment: source token 5 of 5");
}

TEST_CASE("grow-diag-final-and: what both say, what lies beside it, what has no link") {
  CHECK(together("", "") == "");
  CHECK(together("0-0 1-1", "0-0 1-1") == "0-0 1-1");
  // 1-1 lies beside 0-0 diagonally, and neither word has a link; 5-5 lies alone and is the last step's.
  CHECK(together("0-0 1-1", "0-0 5-5") == "0-0 1-1 5-5");
  // 0-1 lies beside 0-0; its target has no link, so that its source may have one.
  CHECK(together("0-0 0-1", "0-0") == "0-0 0-1");
  // Both words of 0-1 have links.
  CHECK(together("0-0 1-1 0-1", "0-0 1-1") == "0-0 1-1");
  // Without anything that both say: the forward ones first, then those of words that are free still.
  CHECK(together("0-0 1-2", "0-3 4-4") == "0-0 1-2 4-4");
  CHECK(inverted(links("0-3 2-1")) == links("1-2 3-0"));
}

TEST_CASE("grow-diag-final-and as it is defined, on matrices") {
  const RandomStream stream{.seed = 7};
  std::uint64_t at = 0;
  std::int64_t grown = 0;
  for (int round = 0; round < 300; ++round) {
    AlignmentLinks forward, inverse;
    for (int i = 0; i < 8; ++i) {
      const auto draw = [&](int limit) {
        return static_cast<std::int32_t>(random_below(stream, at++, static_cast<std::uint64_t>(limit)));
      };
      forward.emplace_back(draw(6), draw(6));
      inverse.push_back(draw(2) == 0 ? forward.back() : AlignmentLink(draw(6), draw(6)));
    }
    forward = each_once(std::move(forward));
    inverse = each_once(std::move(inverse));
    const AlignmentLinks found = grow_diag_final_and(forward, inverse);
    CHECK(found == naive_symmetrized(forward, inverse, 6));
    AlignmentLinks both;
    std::ranges::set_intersection(forward, inverse, std::back_inserter(both));
    CHECK(std::ranges::includes(found, both));
    grown += std::ssize(found) - std::ssize(both);
  }
  CHECK(grown > 300);
}

// Alignment error rate: figures by hand, and lines that are none.
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
