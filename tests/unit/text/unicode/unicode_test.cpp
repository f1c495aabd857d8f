// Normalisation of texts with many marks in a row, which has a way of its own.
#include "text/unicode/unicode.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <ctime>

using namespace headwater;

namespace {

std::string repeated(std::string_view part, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += part;
  return text;
}

constexpr NormalizationForm kForms[] = {NormalizationForm::nfc, NormalizationForm::nfd,
                                        NormalizationForm::nfkc, NormalizationForm::nfkd};

}  // namespace

TEST_CASE("a text is normalised alike with and without many marks on another line") {
  const std::string_view alphabet[] = {
      "a",      "e",       " ",          "\u0301",     "\u0323", "\u0308", "\u0344", "\u0345",
      "\u1E69", "\u00C5",  "\u1100",     "\u1161",     "\u11A8", "\uAC00", "\uAC01", "\u30AB",
      "\u3099", "\uFF76",  "\uFF9E",     "\u0F71",     "\u0F73", "\u0F74", "\u0F81", "\u0958",
      "\u09C7", "\u09BE",  "\uFB01",     "\u1EBF",     "\u00BD", "\u2126", "\u0338", "\u2260",
      "\u037E", "\u1D15E", "\U0001D15E", "\U0001D165", "\u05D0", "\u05BC", "\uFEFF", "\u0B47"};
  const std::string marks = "\n" + repeated("\u0323\u0301", 100);
  std::uint32_t state = 1;
  for (int i = 0; i < 4000; ++i) {
    std::string text;
    for (int k = 0; k < i % 13; ++k) {
      state = state * 1664525u + 1013904223u;
      text += alphabet[(state >> 16) % std::size(alphabet)];
    }
    for (const NormalizationForm form : kForms) {
      const std::string expected =
          unicode_normalize(text, form) + "\n" + repeated("\u0323", 100) + repeated("\u0301", 100);
      REQUIRE(unicode_normalize(text + marks, form) == expected);
    }
  }
}

TEST_CASE("many marks in a row are normalised in time that grows as the text" *
          doctest::test_suite("timed")) {
  const std::string text = "a" + repeated("\u0323\u0301", 200000);
  const std::clock_t begin = std::clock();
  for (const NormalizationForm form : kForms) {
    const bool composes = form == NormalizationForm::nfc || form == NormalizationForm::nfkc;
    const std::string first = composes ? "\u1EA1" : "a\u0323";
    CHECK(unicode_normalize(text, form) == first + repeated("\u0323", 199999) + repeated("\u0301", 200000));
  }
  CHECK(std::clock() - begin < 10 * CLOCKS_PER_SEC);  // of this process, whatever else runs
}
