#include "support/directories.hpp"

#include <doctest/doctest.h>

#include "error_text.hpp"
#include "scratch_directory.hpp"

using namespace headwater;

TEST_CASE("a file of a folder is read once, and what is missing stays so") {
  const ScratchDirectory scratch;
  write_file(scratch / "a", "first");
  const FolderFiles files(scratch.path()), copy = files;
  CHECK(files.has("a"));
  CHECK(files.read("a") == "first");
  CHECK_FALSE(copy.has("b"));
  write_file(scratch / "a", "second");
  write_file(scratch / "b", "late");
  CHECK(copy.read("a") == "first");
  CHECK_FALSE(files.has("b"));
  fs::remove(scratch / "a");
  CHECK(files.has("a"));
  CHECK(error_text([&] { (void)files.read("d"); }).find("d: cannot open") != std::string::npos);
  CHECK(FolderFiles(scratch.path()).read("b") == "late");
}
