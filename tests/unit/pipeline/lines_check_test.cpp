// The lines of a user's file: what is refused, with its place, and what is dropped.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "error_text.hpp"
#include "pipeline/lines_check.hpp"
#include "scratch_directory.hpp"

using namespace headwater;

namespace {

struct File {
  std::string checked(const std::string& text, bool may_be_plain = false,
                      const std::vector<std::string>& columns = {"source", "label"}) {
    write_file(folder / "t.tsv", text);
    std::string all;
    const auto check = [&] {
      for (const std::string& note : check_lines(folder / "t.tsv", columns, may_be_plain)) all += note + "\n";
    };
    const std::string error = error_text(check);
    const std::string path = (folder / "t.tsv").string();
    std::string out = error == "(no error)" ? all : error;
    for (std::size_t at = out.find(path); at != out.npos; at = out.find(path))
      out.replace(at, path.size(), "F");
    return out;
  }
  ScratchDirectory folder;
};

}  // namespace

TEST_CASE("lines with the columns that are wanted pass") {
  File file;
  CHECK(file.checked("a b\tx\nc\ty\n").empty());
  CHECK(file.checked("a b\tx\nc\ty").empty());                     // without the last line end
  CHECK(file.checked("one\n\ntwo\n", false, {"source"}).empty());  // of one column an empty one, too
  CHECK(file.checked("a text\nanother\n", true).empty());
}

TEST_CASE("what other systems leave is dropped, and said") {
  File file;
  CHECK(file.checked("\xEF\xBB\xBF"
                     "a\tx\r\nb\ty\r\n") ==
        "F began with a byte-order mark; it was dropped\nF: 2 lines ended in CR LF; the CR was dropped\n");
  CHECK(file.checked("a\tx\r\nb\ty\n") == "F: 1 line ended in CR LF; the CR was dropped\n");
}

TEST_CASE("other numbers of columns are refused with the first line of them") {
  File file;
  const std::string wanted = " where 2 are wanted (source, label)";
  CHECK(file.checked("a\tx\nb\ty\tz\nc\td\te\n") ==
        "F:2: 3 columns" + wanted + ", and 1 more line like it; turn a TAB inside a text into a space");
  CHECK(file.checked("a\tx\nb y\n") == "F:2: 1 column" + wanted + "; set them apart by one TAB");
  CHECK(file.checked("a,x\n") ==
        "F:1: 1 column" + wanted +
            "; set them apart by one TAB, or set data.csv_columns if this is a CSV file");
  CHECK(file.checked("a\tx\n\n") == "F:2: an empty line" + wanted + "; remove it");
  CHECK(file.checked("a\tx\n", false, {"source"}) ==
        "F:1: 2 columns where 1 is wanted (source); turn a TAB inside a text into a space");
  CHECK(file.checked("a text\nb\tc\n", true) ==
        "F:2: 2 columns where 1 is wanted (source); turn a TAB inside a text into a space");
}

TEST_CASE("what is no UTF-8 is refused with its place in characters") {
  File file;
  CHECK(file.checked("a\tx\n\xC3\xA9\xFF\ty\n") ==
        "F:2:2: invalid UTF-8 at byte 0xff (convert it: iconv -f WINDOWS-1252 -t UTF-8, if that is what it "
        "is)");
  CHECK(file.checked("\xFF\xFE"
                     "a\tx\n") ==
        "F:1:1: invalid UTF-8 at byte 0xff (it looks like UTF-16: iconv -f UTF-16 -t UTF-8 converts it)");
  CHECK(file.checked("\x1F\x8B"
                     "a\tx\n") == "F:1:2: invalid UTF-8 at byte 0x8b (it looks packed: gzip -d unpacks it)");
  CHECK(file.checked(std::string("a\0\tx\n", 5)) == "F:1:2: a NUL byte (tr -d '\\000' removes such)");
}

TEST_CASE("a file with nothing in it is refused") {
  File file;
  const std::string nothing =
      "F: there is nothing in it (take its key out of the recipe, or put lines into the file)";
  CHECK(file.checked("") == nothing);
  CHECK(file.checked(" \n\n", false, {"source"}) == nothing);
}

TEST_CASE("lines longer than what is read at once are whole") {
  File file;
  const std::string line = std::string(3 << 20, 'a') + "\tx\n";
  CHECK(file.checked(line + line).empty());
  CHECK(file.checked(line + "b\n").starts_with("F:2: 1 column"));
}
