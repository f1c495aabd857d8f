#include "cli/message_text.hpp"

#include <doctest/doctest.h>

namespace headwater::cli {

TEST_CASE("what goes to a terminal keeps its line ends and no other control") {
  CHECK(printable("two\nlines \x1B[2J \xC2\x9B \xFF ok \xC3\xA9") ==
        "two\nlines \\x1b[2J \\xc2\\x9b \\xff ok \xC3\xA9");
  // a name that would read "model-gpj.exe" on the terminal
  CHECK(printable("model-\xE2\x80\xAE"
                  "exe.jpg") ==
        "model-\\xe2\\x80\\xae"
        "exe.jpg");
}

}  // namespace headwater::cli
