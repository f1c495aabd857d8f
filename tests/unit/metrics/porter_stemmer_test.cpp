#include "metrics/porter_stemmer.hpp"

#include <doctest/doctest.h>

using headwater::porter_stem;

TEST_CASE("the examples of Porter's paper") {
  CHECK(porter_stem("caresses") == "caress");
  CHECK(porter_stem("ponies") == "poni");
  CHECK(porter_stem("feed") == "feed");
  CHECK(porter_stem("agreed") == "agre");
  CHECK(porter_stem("plastered") == "plaster");
  CHECK(porter_stem("bled") == "bled");
  CHECK(porter_stem("motoring") == "motor");
  CHECK(porter_stem("sing") == "sing");
  CHECK(porter_stem("conflated") == "conflat");
  CHECK(porter_stem("troubled") == "troubl");
  CHECK(porter_stem("sized") == "size");
  CHECK(porter_stem("hopping") == "hop");
  CHECK(porter_stem("falling") == "fall");
  CHECK(porter_stem("hissing") == "hiss");
  CHECK(porter_stem("failing") == "fail");
  CHECK(porter_stem("filing") == "file");
  CHECK(porter_stem("happy") == "happi");
  CHECK(porter_stem("relational") == "relat");
  CHECK(porter_stem("digitizer") == "digit");
  CHECK(porter_stem("vietnamization") == "vietnam");
  CHECK(porter_stem("hopefulness") == "hope");
  CHECK(porter_stem("triplicate") == "triplic");
  CHECK(porter_stem("electricity") == "electr");
  CHECK(porter_stem("revival") == "reviv");
  CHECK(porter_stem("adoption") == "adopt");
  CHECK(porter_stem("region") == "region");
  CHECK(porter_stem("communism") == "commun");
  CHECK(porter_stem("probate") == "probat");
  CHECK(porter_stem("rate") == "rate");
  CHECK(porter_stem("cease") == "ceas");
  CHECK(porter_stem("controller") == "control");
  CHECK(porter_stem("rolled") == "roll");
  CHECK(porter_stem("generalizations") == "gener");
  CHECK(porter_stem("oscillators") == "oscil");
}

TEST_CASE("where NLTK departs from the paper") {
  CHECK(porter_stem("skies") == "sky");
  CHECK(porter_stem("dying") == "die");
  CHECK(porter_stem("succeed") == "succeed");
  CHECK(porter_stem("dies") == "die");
  CHECK(porter_stem("flies") == "fli");
  CHECK(porter_stem("died") == "die");
  CHECK(porter_stem("spied") == "spi");
  CHECK(porter_stem("enjoy") == "enjoy");
  CHECK(porter_stem("spy") == "spi");
  CHECK(porter_stem("by") == "by");
  CHECK(porter_stem("radically") == "radic");
  CHECK(porter_stem("geology") == "geolog");
  CHECK(porter_stem("theology") == "theolog");
  CHECK(porter_stem("hopefully") == "hope");
  CHECK(porter_stem("using") == "use");  // a vowel and a consonant are a short syllable
}

TEST_CASE("short words, digits, runs of y") {
  CHECK(porter_stem("") == "");
  CHECK(porter_stem("is") == "is");
  CHECK(porter_stem("1990s") == "1990");
  CHECK(porter_stem("yyyy") == "yyyi");
  CHECK(porter_stem("eed") == "eed");
  CHECK(porter_stem("ing") == "ing");
  CHECK(porter_stem("sss") == "sss");
}
