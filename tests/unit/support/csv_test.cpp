#include "support/csv.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "support/error.hpp"
#include "support/random.hpp"

using namespace headwater;

namespace {

using Record = std::vector<std::string>;

// The lines of `text` as a reader of lines gives them: LF ends one, a CR before it is taken off.
std::vector<Record> records_of(std::string_view text, char separator = ',') {
  CsvParser parser("f.csv", separator);
  std::vector<Record> records;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!parser.add_line(line)) continue;
    Record& record = records.emplace_back();
    for (std::size_t i = 0; i < parser.fields(); ++i) record.emplace_back(parser.field(i));
  }
  parser.finish();
  return records;
}

using Records = std::vector<Record>;

}  // namespace

TEST_CASE("CSV: the seven rules of RFC 4180, section 2") {
  CHECK(records_of("aaa,bbb,ccc\r\nzzz,yyy,xxx\r\n") ==
        Records{{"aaa", "bbb", "ccc"}, {"zzz", "yyy", "xxx"}});
  CHECK(records_of("aaa,bbb\nzzz,yyy") == Records{{"aaa", "bbb"}, {"zzz", "yyy"}});
  CHECK(records_of(" a ,, b\n") == Records{{" a ", "", " b"}});
  CHECK(records_of("\"aaa\",\"\",ccc\n\"a,b\",c,\n") == Records{{"aaa", "", "ccc"}, {"a,b", "c", ""}});
  CHECK(records_of("\"aaa\",\"b\r\nbb\",\"ccc\"\r\nz,y,x") ==
        Records{{"aaa", "b bb", "ccc"}, {"z", "y", "x"}});
  CHECK(records_of("\"a\"\"b\",\"\"\"\",\"\"\"q\"\"\"\n") == Records{{"a\"b", "\"", "\"q\""}});
}

TEST_CASE("CSV: a field becomes one line without TABs") {
  CHECK(records_of("\"\n\na\n\n\nb\t\tc\rd \n e\n\",\"\n\"\n") == Records{{"a b c d  e", ""}});
  CHECK(records_of("a\tb,\tc\t,\"d\r\re\"\n") == Records{{"a b", "c", "d e"}});
  CHECK(records_of("a,b\r\r\nc,\"d\"\r\r\n") == Records{{"a", "b"}, {"c", "d"}});
  CHECK(records_of("\"a\",\"\nb\"\n") == Records{{"a", "b"}});
}

TEST_CASE("CSV: quotes in the middle, empty lines, other separators, lines of records") {
  CHECK(records_of("5\" disk,say \"hi\"\n") == Records{{"5\" disk", "say \"hi\""}});
  CHECK(records_of("\n\r\n") == Records{{""}, {""}});
  CHECK(records_of("a;\"b;c\";d,e\n", ';') == Records{{"a", "b;c", "d,e"}});
  CsvParser parser("f.csv");
  CHECK(parser.add_line("a,b"));
  CHECK((parser.line() == 1 && !parser.has_several_lines()));
  CHECK_FALSE(parser.add_line("\"x"));
  CHECK(parser.add_line("y\",b"));
  CHECK((parser.line() == 2 && parser.has_several_lines()));
  CHECK(parser.add_line("c"));
  CHECK((parser.line() == 4 && !parser.has_several_lines()));
}

TEST_CASE("CSV: what is none, with its place") {
  CHECK_THROWS_WITH_AS(
      records_of("a,b\né,\"c\nd,e\n"),
      "f.csv:2:3: the quote that opens here is never closed (a quote inside a field in quotes "
      "is written twice: \"\")",
      Error);
  CHECK_THROWS_WITH_AS(records_of("a,b\n\"é\"x,c\n"),
                       "f.csv:2:4: text after the quote that closes a field (a quote inside such a field is "
                       "written twice: \"\")",
                       Error);
  CHECK_THROWS_WITH_AS(records_of("a, \"b\"\n"),
                       "f.csv:1:4: a quote after spaces (a field in quotes begins with the quote itself)",
                       Error);
  for (const std::string_view text :
       {"a,b\r1,2\r", "\"a\",b\r\"1\",2\r", "a,b\n1,2\r3,4\r", "a,\"b\"\r1,2"}) {
    CHECK_THROWS_WITH_AS(records_of(text),
                         doctest::Contains(": a CR alone outside quotes, where LF or CR LF ends lines"),
                         Error);
  }
  CHECK_THROWS_WITH_AS(records_of(std::string(4096, ',')),
                       "f.csv:1:4097: more than 4096 fields (is this CSV?)", Error);
  const std::string line(std::size_t{1} << 20, 'x');
  std::string open = "a\n\"";
  for (int i = 0; i < 17; ++i) open += line + "\n";
  CHECK_THROWS_WITH_AS(records_of(open),
                       doctest::Contains("f.csv:2:1: the quote that opens here is not closed within 16 MiB"),
                       Error);
}

TEST_CASE("CSV: what a writer quotes reads back") {
  constexpr std::string_view kCharacters = "ab ,\"\n;";
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const RandomStream stream{.seed = seed, .purpose = Purpose::sample};
    Records wanted;
    std::string text;
    std::uint64_t n = 0;
    const auto below = [&](std::uint64_t bound) { return random_word(stream, n++) % bound; };
    for (int r = 0; r < 5; ++r) {
      Record& record = wanted.emplace_back();
      for (int f = 0; f < 3; ++f) {
        std::string field, quoted = "\"";
        for (std::uint64_t i = 0, length = below(6); i < length; ++i) {
          const char c = kCharacters[below(kCharacters.size())];
          quoted += c;
          if (c == '"') quoted += c;
          field += c;
        }
        // A run of line ends is one space beside none, and nothing at an end.
        std::string flat;
        for (std::size_t at = 0; at < field.size(); ++at) {
          if (field[at] != '\n') {
            flat += field[at];
            continue;
          }
          std::size_t end = at;
          while (end < field.size() && field[end] == '\n') ++end;
          const bool is_needed =
              !flat.empty() && flat.back() != ' ' && end < field.size() && field[end] != ' ';
          if (is_needed) flat += ' ';
          at = end - 1;
        }
        record.push_back(flat);
        text += (f > 0 ? "," : "") + quoted + "\"";
      }
      text += r % 2 == 0 ? "\r\n" : "\n";
    }
    CHECK(records_of(text) == wanted);
  }
}

TEST_CASE("a line looks like CSV where commas or semicolons make as many fields as are wanted") {
  CHECK(csv_separator("a text,pos", 2) == ',');
  CHECK(csv_separator("7;a text;pos", 2) == ';');
  CHECK(csv_separator("\"a text, long\";pos", 2) == ';');
  CHECK(csv_separator("pos,\"a text that goes", 3) == ',');
  CHECK(csv_cure("a text,pos", 2) == "looks like CSV: set data.csv_columns, or vectorize --csv");
  CHECK(csv_cure("a text;pos", 2) ==
        "looks like CSV: vectorize --csv --separator ';' makes lines of columns");
  CHECK(csv_cure("a text", 2).empty());
  CHECK(0 == csv_separator("a text,pos", 3));
  CHECK(0 == csv_separator("\"a text, long\"", 2));
  CHECK(0 == csv_separator("a,b\tc", 2));
  CHECK(0 == csv_separator("12 7 3", 1));
  CHECK(0 == csv_separator("", 1));
}

namespace {

std::vector<std::string> texts_of(std::vector<std::string_view> lines, CsvSettings settings) {
  CsvColumns columns(std::move(settings), "f.csv");
  std::vector<std::string> texts;
  std::string_view text;
  for (const std::string_view line : lines) {
    if (columns.add_line(line, text)) texts.emplace_back(text);
  }
  columns.finish();
  return texts;
}

CsvGuess guess_of(std::vector<std::string> lines) {
  CsvGuess guess;
  for (const std::string& line : lines) guess.add(line);
  return guess;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("columns of CSV: by name, by number, all; a record is one line") {
  CHECK(texts_of({"a, b ,c", "1,\"2", "3\",4"}, {.columns = {"c", "b"}}) == Texts{"4\t2 3"});
  CHECK(texts_of({"a,b", "1,2"}, {.columns = {"2"}}) == Texts{"2"});
  CHECK(texts_of({"2,1", "x,y"}, {.columns = {"2"}}) == Texts{"x"});  // a name comes first
  CHECK(texts_of({"1;2"}, {.columns = {"2", "1"}, .separator = ';', .has_header = false}) == Texts{"2\t1"});
  CHECK(texts_of({"a", "", "x"}, {.wanted = 1}) == Texts{"", "x"});
  CHECK(texts_of({"a,b", "", "x,y"}, {}) == Texts{"x\ty"});
}

TEST_CASE("columns of CSV: what is not there, with the place") {
  CHECK_THROWS_WITH_AS(texts_of({"a,b"}, {.wanted = 1}),
                       "f.csv:1: 2 columns where one text is wanted (choose it with --column: \"a\", \"b\")",
                       Error);
  CHECK_THROWS_WITH_AS(texts_of({"a,b"}, {.columns = {"02"}}),
                       "f.csv:1: no column \"02\" (the header has \"a\", \"b\")", Error);
  CHECK_THROWS_WITH_AS(
      texts_of({"a,b", "\"x", "y\""}, {}),
      "f.csv:2: 1 field where the first record has 2 (a field that holds , stands in quotes)", Error);
  CHECK_THROWS_WITH_AS(texts_of({}, {}), "f.csv: no records (the file is empty)", Error);
}

TEST_CASE("a guess whether lines are CSV") {
  CHECK(guess_of({"text,label", "a film,pos"}).text() ==
        "looks like CSV of 2 fields (\"text\", \"label\"), which is no column of text");
  CHECK(guess_of({"x;y", "\"a; b\";c"}).separator_option() == "--separator ';'");
  CHECK(guess_of(Texts(20, "a,b")).is_csv());
  CHECK_FALSE(guess_of(Texts(19, "a,b")).is_csv());
  CHECK_FALSE(guess_of({"\"A film\", he said.", "\"No\", she said."}).is_csv());
  CHECK_FALSE(guess_of({"text,label", "a\tb,pos"}).is_csv());
  CHECK_FALSE(guess_of({"text,label", "a,b,c"}).is_csv());
  CHECK_FALSE(guess_of({}).is_csv());
}
