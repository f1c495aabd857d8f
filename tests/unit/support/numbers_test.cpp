#include "support/numbers.hpp"

#include <doctest/doctest.h>

#include "support/token_counts.hpp"

using namespace headwater;

TEST_CASE("counts agree with their nouns") {
  CHECK(counted(0, "line") == "0 lines");
  CHECK(counted(1, "line") == "1 line");
  CHECK(counted(2, "line") == "2 lines");
  CHECK(counted(1234567, "source token") == "1,234,567 source tokens");
  CHECK(counted(-1, "line") == "-1 lines");
}

TEST_CASE("percent: never 0 of something, never 100 of a part") {
  CHECK(format_percent(0, 0) == "0.0 %");
  CHECK(format_percent(0, 7) == "0.0 %");
  CHECK(format_percent(1, 3) == "33.3 %");
  CHECK(format_percent(2, 3) == "66.7 %");
  CHECK(format_percent(7, 7) == "100.0 %");
  CHECK(format_percent(999'999, 1'000'000) == "99.9 %");
  CHECK(format_percent(1, 1000) == "0.1 %");
  CHECK(format_percent(1, 2001) == "<0.1 %");
  CHECK(format_percent(1, 2000) == "0.1 %");
}

TEST_CASE("tokens are counted without padding, start and end") {
  TokenCounts counts;
  CHECK(counts.unknown_share() == 0);
  counts.add(std::vector<std::int32_t>{2, 1, 5, 1, 3, 0, 0}, {.pad = 0, .unknown = 1, .start = 2, .end = 3});
  CHECK(counts == TokenCounts{3, 2});
  counts.add(std::vector<std::int32_t>{2, 3, 0}, {.unknown = 2});
  CHECK(counts == TokenCounts{6, 3});
  CHECK(counts.unknown_share() == 0.5);
  counts += counts;
  CHECK(counts == TokenCounts{12, 6});
}
