#include "text/unicode/scripts.hpp"

#include <doctest/doctest.h>

#include "support/error.hpp"

using namespace headwater;

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
