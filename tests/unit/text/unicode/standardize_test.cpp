#include "text/unicode/standardize.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/error.hpp"
#include "text/tokenizer/words.hpp"
#include "text/unicode/unicode.hpp"

using namespace headwater;

namespace {

std::vector<std::string> words(std::string_view text, const StandardizeSettings& settings = {}) {
  std::vector<std::string> all;
  std::string scratch;
  for_each_word(text, byte_map(settings, WhiteSpace::separates), scratch,
                [&](std::string_view word) { all.emplace_back(word); });
  return all;
}

}  // namespace

TEST_CASE("the framework's default lowers A-Z only and deletes the 32 punctuation characters") {
  CHECK(standardize("Don't a-b ÀÉ É", {}) == "dont ab ÀÉ É");
  const std::string punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
  REQUIRE(punctuation.size() == 32);
  CHECK(standardize("x" + punctuation + "y", {}) == "xy");
  CHECK(standardize("¿x? «y» “z”", {}) == "¿x «y» “z”");
}

TEST_CASE("the variants of standardisation") {
  CHECK(standardize("A.B", {.standardize = Standardization::lower}) == "a.b");
  CHECK(standardize("A.B", {.standardize = Standardization::strip_punctuation}) == "AB");
  CHECK(standardize("A.B", {.standardize = Standardization::none}) == "A.B");
  CHECK(standardize("ÀÉ Σ.", {.lower = Lowering::unicode}) == "àé σ");
  CHECK(standardize("ÀÉ.", {.standardize = Standardization::strip_punctuation, .lower = Lowering::unicode}) ==
        "ÀÉ");
}

TEST_CASE("setting off: a space before each mark, none after it, and line breaks of HTML are spaces") {
  const StandardizeSettings settings{.standardize = Standardization::lower_and_set_off_punctuation};
  using Words = std::vector<std::string>;
  const auto set_off = [&](std::string_view text) {
    std::string scratch;
    return words(standardize_code_points(text, settings, scratch), settings);
  };
  CHECK(set_off("It's GOOD (really)!<br />So-so<BR /><br/>") ==
        Words{"it", "'s", "good", "(really", ")", "!", "so", "-so", "<br", "/", ">"});
  CHECK(set_off("ÀÉ… “x”") == Words{"ÀÉ…", "“x”"});
  CHECK(set_off("<br") == Words{"<br"});
  CHECK(set_off("").empty());
}

TEST_CASE("names of variants: parsed, printed, refused") {
  for (const char* name : {"lower_and_strip_punctuation", "lower", "strip_punctuation", "none",
                           "unicode_punctuation", "lower_and_set_off_punctuation"}) {
    CHECK(name_of(parse_standardization(name)) == name);
  }
  CHECK(name_of(parse_lowering("ascii")) == "ascii");
  CHECK(name_of(parse_lowering("unicode")) == "unicode");
  CHECK_THROWS_WITH_AS(parse_lowering("Unicode"), "lower: unknown value \"Unicode\" (one of ascii, unicode)",
                       UsageError);
  CHECK_THROWS_AS(parse_standardization(""), UsageError);
}

TEST_CASE("words are cut at white space of the C locale only") {
  using Words = std::vector<std::string>;
  CHECK(words(" a  b\tc\nd\ve\ff\rg ") == Words{"a", "b", "c", "d", "e", "f", "g"});
  CHECK(words("a\u00A0b c\u3000d e\u0085f\u2028g") == Words{"a\u00A0b", "c\u3000d", "e\u0085f\u2028g"});
  CHECK(words("") == Words{});
  CHECK(words(" \t ") == Words{});
  CHECK(words("!!! ? a") == Words{"a"});
  CHECK(words("x\x1Cy") == Words{"x\x1Cy"});
}

TEST_CASE("characters are code points; an ill-formed byte counts as one") {
  std::vector<std::string> all;
  const auto keep = [&](std::string_view character) { all.emplace_back(character); };
  for_each_character("aÉ 😀\xFF!\xC3", byte_map({}, WhiteSpace::kept), keep);
  CHECK(all == std::vector<std::string>{"a", "É", " ", "😀", "\xFF", "\xC3"});
}

TEST_CASE("normalisation forms") {
  CHECK(unicode_normalize("e\u0301", NormalizationForm::nfc) == "é");
  CHECK(unicode_normalize("é", NormalizationForm::nfd) == "e\u0301");
  CHECK(unicode_normalize("\uFB01", NormalizationForm::nfkc) == "fi");
  CHECK(unicode_normalize("\uFB01", NormalizationForm::nfc) == "\uFB01");
  CHECK(unicode_normalize("\u01C4", NormalizationForm::nfkd) == "DZ\u030C");
  // One code point becomes 18: the longest expansion there is.
  CHECK(count_code_points(unicode_normalize("\uFDFA", NormalizationForm::nfkc)) == 18);
  CHECK(unicode_normalize("", NormalizationForm::nfc).empty());
}

TEST_CASE("lower case maps each code point alone, in no language's way") {
  std::string out;
  append_unicode_lower(out, "ΣΑΣ I İ ẞ Ǆ ǅ 𐐀 K");
  CHECK(out == "σασ i i\u0307 ß ǆ ǆ 𐐨 k");
  out.clear();
  append_unicode_lower(out, "\xFFÉ\xC3");
  CHECK(out == "\xFFé\xC3");
}
