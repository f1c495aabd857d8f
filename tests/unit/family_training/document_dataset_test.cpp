#include "families/masked_lm/train_texts.hpp"

#include <doctest/doctest.h>

#include "error_text.hpp"

using namespace headwater;

namespace {

DocumentDataset read(const std::vector<std::string>& lines) {
  DocumentDataset documents({.name = "source", .vocabulary = 10});
  for (const std::string& line : lines) documents.add_line(line, "-:1");
  documents.finish("-", false);
  return documents;
}

}  // namespace

TEST_CASE("documents end where a line is empty, and at the end of the input") {
  const DocumentDataset documents = read({"", "1 2", "3", "", "", "4 5 6", "", "7", "8"});
  REQUIRE(documents.examples() == 3);
  CHECK(documents.first_sentence(0) == 0);
  CHECK(documents.first_sentence(1) == 2);
  CHECK(documents.first_sentence(2) == 3);
  CHECK(documents.first_sentence(3) == 5);
  CHECK(documents.ids(2).size() == 3);
  CHECK(documents.ids(4)[0] == 8);
}

TEST_CASE("where documents end is a part of their hash") {
  CHECK(read({"1", "2", ""}).hash() == read({"1", "2"}).hash());
  CHECK(read({"1", "2"}).hash() != read({"1", "", "2"}).hash());
}

TEST_CASE("documents: what is no id is an error with its place, and so is nothing at all") {
  DocumentDataset documents({.name = "source", .vocabulary = 10});
  CHECK(error_text([&] { documents.add_line("1 12", "f:3"); }).starts_with("f:3:3: "));
  DocumentDataset none({.name = "source", .vocabulary = 10});
  none.add_line("", "-:1");
  CHECK(error_text([&] { none.finish("-", false); }).starts_with("-: no examples"));
}
