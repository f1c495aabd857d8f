#include "text/unicode/scripts.hpp"

#include <doctest/doctest.h>

#include "support/error.hpp"

using namespace headwater;

TEST_CASE("mixed scripts of ISO 15924 are their parts, and letters of no script do not count") {
  CHECK(Scripts("Jpan").share("\u30AB\u3072\u65E5a") == 0.75);
  CHECK(Scripts("Hrkt").share("\u30AB\u3072\u65E5a") == 0.5);
  CHECK(Scripts("Kore").share("\uD55C\u65E5a") == doctest::Approx(2.0 / 3));
  for (const char* name : {"Hans", "Hant", "zh", "zh-Hant"}) {
    INFO(std::string(name));
    CHECK(Scripts(std::string(name)).share("\u65E5\u672Ca") == doctest::Approx(2.0 / 3));
  }
  CHECK(Scripts("Latf").share("abc") == 1);
  CHECK(Scripts("Hiragana").share("\u3089\u30FC\u3081\u3093") ==
        1);                                       // the long vowel is shared with Katakana
  CHECK(Scripts("Latin").share("\u00B5m") == 1);  // the micro sign is Common
  for (const char* name :
       {"Common", "Zyyy", "Inherited", "Zinh", "Qaai", "Unknown", "Zzzz", "Zmth", "Zxxx"}) {
    INFO(std::string(name));
    CHECK_THROWS_AS(Scripts(std::string(name)), Error);
  }
}

TEST_CASE("scripts: by name, by code and by language; signs and digits are of none") {
  CHECK(Scripts("Latin").share("abc d") == 1);
  CHECK(Scripts("Latn").share("ab\u0434\u0436") == 0.5);
  CHECK(Scripts("ru").share("\u0434\u0430, 12 %") == 1);
  CHECK(Scripts("ja").share("\u30AB\u3072\u65E5a") == 0.75);
  CHECK(Scripts("Cyrillic").share("12 % ...") == 1);
  CHECK(Scripts("Cyrillic").share("") == 1);
  for (const char* name : {"Klingon", "", "xx-none", "12"}) {
    INFO(std::string(name));
    CHECK_THROWS_AS(Scripts(std::string(name)), Error);
  }
}
