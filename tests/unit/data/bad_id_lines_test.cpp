// Promise R11 for id lines: each malformed line gives one line with place and fix.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "data/token_dataset.hpp"
#include "support/error.hpp"

using namespace headwater;

namespace {

struct BadLine {
  std::string line;
  int column;
  const char* says;
};

const std::string kGood = "#ids v1 vocab=0123456789abcdef size=100 pad=0";

const std::vector<BadLine> kBadLines = {
    // not numbers
    {"x\t2 3", 1, "\"x\" is not an id"},
    {"1 x\t2 3", 3, "\"x\" is not an id"},
    {"1 2x\t2 3", 3, "\"2x\" is not an id"},
    {"1\t2 3x", 5, "\"3x\" is not an id"},
    {"-1\t2 3", 1, "\"-1\" is not an id"},
    {"+1\t2 3", 1, "\"+1\" is not an id"},
    {"1.0\t2 3", 1, "\"1.0\" is not an id"},
    {"1e2\t2 3", 1, "\"1e2\" is not an id"},
    {"0x1\t2 3", 1, "\"0x1\" is not an id"},
    {"1,2\t2 3", 1, "\"1,2\" is not an id"},
    {"1;2\t2 3", 1, "\"1;2\" is not an id"},
    {"[1]\t2 3", 1, "\"[1]\" is not an id"},
    {"\"1\"\t2 3", 1, "is not an id"},
    {"01\t2 3", 1, "\"01\" is not an id"},
    {"00\t2 3", 1, "\"00\" is not an id"},
    {"\xC2\xB2\t2 3", 1, "is not an id"},
    {"1 \xD9\xA3\t2 3", 3, "is not an id"},
    {"the red house\tla casa roja", 1, "\"the\" is not an id"},
    {"1\x1B[2J\t2 3", 1, "\"1\\x1b[2J\" is not an id"},
    {"1\r\t2 3", 1, "is not an id"},
    {"nan\t2 3", 1, "is not an id"},
    // out of range
    {"100\t2 3", 1, "id 100 in column \"source\", but its vocabulary ends at 99"},
    {"1 2 100\t2 3", 5, "id 100 in column \"source\""},
    {"1\t2 50", 5, "id 50 in column \"target\", but its vocabulary ends at 49"},
    {"2147483648\t2 3", 1, "id 2147483648 in column"},
    {"4294967297\t2 3", 1, "id 4294967297 in column"},
    {"9999999999\t2 3", 1, "id 9999999999 in column"},
    {"18446744073709551616\t2 3", 1, "is not an id"},
    {std::string(200, '9') + "\t2 3", 1, "...\" is not an id"},
    // separators
    {" 1\t2 3", 1, "a space too many"},
    {"1 \t2 3", 2, "a space too many"},
    {"1  2\t2 3", 3, "a space too many"},
    {"1\t 2 3", 3, "a space too many"},
    {"1\t2 3 ", 6, "a space too many"},
    {" \t2 3", 1, "a space too many"},
    {"1\xC2\xA0"
     "2\t2 3",
     1, "is not an id"},
    // columns
    {"", 1, "1 column where 2 are wanted: source, target"},
    {"1 2 3", 6, "1 column where 2 are wanted"},
    {"1 2\t2 3\t", 8, "3 columns where 2 are wanted"},
    {"1\t2 3\t4\t5", 6, "4 columns where 2 are wanted"},
    {"\t\t", 2, "3 columns where 2 are wanted"},
    {"1\t2", 3, "1 id in column \"target\", which needs at least 2"},
    {"1\t5 6 3", 3, "id 5 in column \"target\", which begins with the start token 2"},
    {"1\t3 2", 3, "id 3 in column \"target\", which begins with the start token 2"},
    // headers
    {"#ids v1", 8, "a header that does not name 2 columns"},
    {kGood + "\t" + kGood + "\t" + kGood, 92, "a header that does not name 2 columns"},
    {"#ids v2 size=100\t" + kGood, 6, "header version \"v2\""},
    {"#ids \t" + kGood, 6, "header version \"\""},
    {"#ids v1 size=99\t#ids v1", 9, "a vocabulary of \"99\""},
    {"#ids v1 size=0100\t#ids v1", 9, "a vocabulary of \"0100\""},
    {"#ids v1 vocab=0123\t#ids v1", 9,
     "vocabulary \"0123\", but column \"source\" needs 0123456789abcdef0123"},
    {"#ids v1 vocab=\t#ids v1", 9, "vocabulary \"\""},
    {"#ids v1 pad=7\t#ids v1", 9, "padding id \"7\""},
    {"#ids v1  pad=0\t#ids v1", 9, "unknown word \"\""},
    {"#ids v1 pid=0\t#ids v1", 9, "unknown word \"pid=0\""},
    {kGood + "\t2 3", 47, "a column without its header"},
    {"#ids\t#ids", 1, "\"#ids\" is not an id"},
    {"#comment\t2 3", 1, "\"#comment\" is not an id"},
};

}  // namespace

TEST_CASE("bad id lines are refused with line, column and fix") {
  CHECK(kBadLines.size() >= 40);
  for (const BadLine& bad : kBadLines) {
    TokenDataset columns({{.name = "source", .vocabulary = 100, .vocabulary_hash = "0123456789abcdef0123"},
                          {.name = "target", .vocabulary = 50, .min_length = 2, .first_id = 2}});
    INFO(bad.line);
    std::string message = "accepted";
    try {
      columns.add_line(bad.line, "a.ids:12");
    } catch (const UsageError&) {
      message = "a wrong call, not bad data";
    } catch (const Error& error) {
      message = error.what();
    }
    INFO(message);
    CHECK(message.starts_with("a.ids:12:" + std::to_string(bad.column) + ": "));
    CHECK(message.find(bad.says) != std::string::npos);
    CHECK(message.back() == ')');  // the fix
    for (const char c : message) CHECK(static_cast<unsigned char>(c) >= 0x20);
    CHECK(columns.examples() == 0);
  }
}
