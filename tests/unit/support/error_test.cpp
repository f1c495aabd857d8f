#include "support/error.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "support/files.hpp"
#include "support/name_list.hpp"
#include "support/utf8.hpp"

namespace headwater {

TEST_CASE("visible text: control characters, invalid bytes and marks of direction are written as bytes") {
  CHECK(visible("plain, \"quoted\" \\ back") == "plain, \"quoted\" \\ back");
  CHECK(visible("a\tb\nc\rd\x1B[2J\x7F") == "a\\x09b\\x0ac\\x0dd\\x1b[2J\\x7f");
  CHECK(visible("\xC2\x9B"
                "31m \xC2\xA3 \xFF \xE2\x82") == "\\xc2\\x9b31m \xC2\xA3 \\xff \\xe2\\x82");
  CHECK(visible("") == "");
}

TEST_CASE("a list of names shows the first five") {
  CHECK(quoted_list({}).empty());
  CHECK(quoted_list({"a", "b\n"}) == "\"a\", \"b\\x0a\"");
  CHECK(quoted_list({"1", "2", "3", "4", "5"}) == R"("1", "2", "3", "4", "5")");
  CHECK(quoted_list({"1", "2", "3", "4", "5", "6"}) == R"("1", "2", "3", "4", "5", ... 6 in all)");
}

TEST_CASE("every bidirectional control is escaped, and its neighbours are not") {
  const auto is_escaped = [](char32_t c) {
    std::string text;
    append_utf8(text, c);
    const bool is = visible(text) != text;
    CHECK((quote(text) == "\"" + text + "\"") == !is);
    CHECK((shown(text) == text) == !is);
    return is;
  };
  std::vector<char32_t> escaped;
  for (char32_t c = 0xA0; c < 0x2100; ++c) {
    if (is_escaped(c)) escaped.push_back(c);
  }
  CHECK(escaped == std::vector<char32_t>{0x061C, 0x200E, 0x200F, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E,
                                         0x2066, 0x2067, 0x2068, 0x2069});
}

TEST_CASE("quoted text has its quotes and backslashes escaped, and at most 80 bytes") {
  CHECK(quote("a\xE2\x80\xAE\"b\\") == "\"a\\xe2\\x80\\xae\\\"b\\\\\"");
  CHECK(quote(std::string(100, 'x')) == "\"" + std::string(79, 'x') + "...\"");
  CHECK(quote("line\nline") == "\"line\\x0aline\"");
}

TEST_CASE("a suggestion is near for the length of the word; neighbours that changed places are one edit") {
  CHECK(edit_distance("heads", "haeds") == 1);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("abcd", "badc") == 2);
  const std::vector<std::string_view> words = {"rho", "set", "seed", "width", "learning_rate"};
  CHECK(nearest_word("roh", words) == "rho");
  CHECK(nearest_word("widht", words) == "width");
  CHECK(nearest_word("lerning_rat", words) == "learning_rate");
  CHECK(nearest_word("earning_rat", words) == "learning_rate");
  CHECK(nearest_word("earningrat", words).empty());
  CHECK(nearest_word("lr", words).empty());
  CHECK(nearest_word("sd", words).empty());
  CHECK(nearest_word("wdh", words).empty());  // two edits of a word of three
  CHECK(nearest_word("head", words).empty());
  const std::vector<std::string_view> kinds = {"adam", "adamw", "gelu"};
  CHECK(nearest_word("adamW", kinds) == "adamw");
  CHECK(nearest_word("GELU", kinds) == "gelu");
}

}  // namespace headwater
