#include "cli/message_text.hpp"

#include <doctest/doctest.h>

namespace headwater::cli {

TEST_CASE("what a library says becomes one line in the form of our own") {
  CHECK(on_one_line("Bad value.\nTry again. ") == "Bad value. Try again");
  CHECK(lower_first("Bad value") == "bad value");
  CHECK(lower_first("UTF-8 is wanted") == "UTF-8 is wanted");
}

TEST_CASE("standard input has its name in messages, and - its meaning elsewhere") {
  CHECK(with_named_input("-:2:5: no label") == "standard input:2:5: no label");
  CHECK(with_named_input("-: no lines") == "standard input: no lines");
  CHECK(with_named_input("- looks like CSV") == "standard input looks like CSV");
  CHECK(with_named_input("guesses:2 and -:2: x") == "guesses:2 and standard input:2: x");
  for (const char* same :
       {"--recipe -: standard input holds the text", "a-:2", "-o: needs a value", "-1", ""})
    CHECK(with_named_input(same) == same);
}

}  // namespace headwater::cli
