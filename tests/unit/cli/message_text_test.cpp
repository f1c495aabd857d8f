#include "cli/message_text.hpp"

#include <doctest/doctest.h>

namespace headwater::cli {

TEST_CASE("what a library says becomes one line in the form of our own") {
  CHECK(on_one_line("Bad value.\nTry again. ") == "Bad value. Try again");
  CHECK(lower_first("Bad value") == "bad value");
  CHECK(lower_first("UTF-8 is wanted") == "UTF-8 is wanted");
}

}  // namespace headwater::cli
