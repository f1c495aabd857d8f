#include "support/numbers.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <utility>

using namespace headwater;

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
