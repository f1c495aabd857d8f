#include "support/numbers.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <utility>

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

namespace {

template <class Number>
std::string fault_of(std::string_view text) {
  Number number{7};
  const std::string fault = read_number(text, number);
  if (!fault.empty()) CHECK(number == 7);  // what is wrong leaves the number as it is
  return fault;
}

template <class Number>
Number number_of(std::string_view text) {
  Number number{};
  CHECK(read_number(text, number) == "");
  return number;
}

}  // namespace

TEST_CASE("a number is decimal, without leading zeros, plus signs and separators, and fits") {
  CHECK(number_of<std::int64_t>("0") == 0);
  CHECK(number_of<std::int64_t>("-9223372036854775808") == INT64_MIN);
  CHECK(number_of<std::int64_t>("9223372036854775807") == INT64_MAX);
  CHECK(number_of<std::uint64_t>("18446744073709551615") == UINT64_MAX);
  CHECK(number_of<double>("-1.5e3") == -1500);
  CHECK(number_of<double>("10") == 10);
  const std::pair<const char*, const char*> wrong[] = {{"010", "leading zeros"}, {"00", "leading zeros"},
                                                       {"-08", "leading zeros"}, {"0x10", "in decimal)"},
                                                       {"0b1", "in decimal)"},   {"+1", "plus sign"},
                                                       {"1_000", "separators"},  {"1,000", "separators"},
                                                       {"", "decimal digits"},   {" 1", "decimal digits"},
                                                       {"1 ", "decimal digits"}, {"one", "decimal digits"},
                                                       {"1e", "decimal digits"}, {"-", "decimal digits"},
                                                       {"1.", "decimal digits"}, {".5", "0 before the point"},
                                                       {"nan", "finite"},        {"-NaN", "finite"},
                                                       {"inf", "finite"},        {"Infinity", "finite"},
                                                       {".inf", "finite"}};
  for (const auto& [text, fix] : wrong) {
    INFO(text);
    CHECK(fault_of<std::int64_t>(text).find(fix) != std::string::npos);
    CHECK(fault_of<std::uint64_t>(text).find(fix) != std::string::npos);
    CHECK(fault_of<double>(text).find(fix) != std::string::npos);
  }
  CHECK(fault_of<std::int64_t>(std::string_view("1\0", 2)) ==
        "wanted a whole number, not \"1\\x00\" (write it in decimal digits)");
  CHECK(fault_of<std::int64_t>("010") == "wanted a whole number, not \"010\" (leave out the leading zeros)");
  CHECK(fault_of<std::int64_t>("1e3").find("without point and exponent") != std::string::npos);
  CHECK(fault_of<std::int64_t>("9223372036854775808").find("is too large") != std::string::npos);
  CHECK(fault_of<std::int64_t>("-9223372036854775809").find("is too small") != std::string::npos);
  CHECK(fault_of<std::uint64_t>("18446744073709551616").find("is too large") != std::string::npos);
  CHECK(fault_of<std::uint64_t>("-1").find("is too small") != std::string::npos);
  CHECK(fault_of<double>("1e400").find("beyond") != std::string::npos);
}

TEST_CASE("a whole text is read as from_chars reads it, or the number stays") {
  std::int64_t whole = 7;
  for (const char* text : {"", " 1", "1 ", "+1", "0x10", "1.0", "1e3", "9223372036854775808"}) {
    INFO(text);
    CHECK(!parse_number(text, whole));
    CHECK(whole == 7);
  }
  CHECK(parse_number("-010", whole));
  CHECK(whole == -10);
  std::uint64_t count = 7;
  CHECK(!parse_number("-1", count));
  CHECK(count == 7);
  double real = 7;
  CHECK(!parse_number("1e999", real));
  CHECK(real == 7);
  CHECK(parse_number("1.5e3", real));
  CHECK(real == 1500);
  CHECK(parse_number("-inf", real));
  CHECK(std::isinf(real));
}
