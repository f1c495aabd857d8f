#include "data/token_dataset.hpp"
#include "error_text.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "support/error.hpp"
#include "support/hash.hpp"

using namespace headwater;

namespace {

TokenDataset two_columns() {
  return TokenDataset({{.name = "source", .vocabulary = 100, .max_length = 3, .vocabulary_hash = "aaaa"},
                       {.name = "target", .vocabulary = 50, .max_length = 4, .min_length = 2}});
}

std::vector<std::int32_t> ids(const TokenDataset& columns, std::size_t column, std::int64_t example) {
  const auto span = columns.ids(column, example);
  return {span.begin(), span.end()};
}

std::string error_of(const std::string& line) {
  TokenDataset columns = two_columns();
  try {
    columns.add_line(line, "-:7");
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("id lines are read into columns") {
  TokenDataset columns = two_columns();
  columns.add_line("5 0 99\t2 3", "-:1");
  columns.add_line("7\t2 49 3", "-:2");
  columns.finish("-");
  CHECK(columns.examples() == 2);
  CHECK(columns.lines() == 2);
  CHECK(ids(columns, 0, 0) == std::vector<std::int32_t>{5, 0, 99});
  CHECK(ids(columns, 1, 0) == std::vector<std::int32_t>{2, 3});
  CHECK(ids(columns, 0, 1) == std::vector<std::int32_t>{7});
  CHECK(ids(columns, 1, 1) == std::vector<std::int32_t>{2, 49, 3});
  CHECK(columns.total_ids(1) == 5);
  CHECK(columns.column("target") == 1);
  CHECK_THROWS_AS(columns.column("label"), Error);
}

TEST_CASE("an example costs little beyond its ids, and many are found again") {
  TokenDataset columns({{.name = "source", .vocabulary = 1000}, {.name = "target", .vocabulary = 1000}});
  const int count = 20'000;  // several blocks
  const auto word = [](int i) { return std::to_string(i % 1000); };
  std::int64_t source_ids = 0;
  for (int i = 0; i < count; ++i) {
    std::string line = word(i);
    for (int k = 0; k < i % 7; ++k) line += " " + word(i + k);
    source_ids += 1 + i % 7;
    columns.add_line(line + "\t" + word(3 * i), "-");
    if (i % 1000 == 0) columns.add_line("17 18\t", "-");  // skipped
  }
  columns.finish("-");
  CHECK(columns.examples() == count);
  CHECK(columns.total_ids(0) == source_ids);
  CHECK(columns.skipped() == 20);
  CHECK(columns.bytes_beyond_ids() <
        9 * count);  // two columns: 8 bytes, and what the last blocks have to spare
  bool is_found = true;
  for (int i = 0; i < count; ++i) {
    std::vector<std::int32_t> expected{i % 1000};
    for (int k = 0; k < i % 7; ++k) expected.push_back((i + k) % 1000);
    is_found = is_found && ids(columns, 0, i) == expected && ids(columns, 1, i) == std::vector{3 * i % 1000};
  }
  CHECK(is_found);
}

TEST_CASE("lines longer than the model are cut and counted") {
  TokenDataset columns = two_columns();
  columns.add_line("1 2 3 4\t2 5 6 7 3", "-:1");
  columns.add_line("1 2 3\t2 5 6 3", "-:2");
  CHECK(ids(columns, 0, 0) == std::vector<std::int32_t>{1, 2, 3});
  CHECK(ids(columns, 1, 0) == std::vector<std::int32_t>{2, 5, 6, 7});
  CHECK(ids(columns, 0, 1) == std::vector<std::int32_t>{1, 2, 3});
  CHECK(columns.truncated(0) == 1);
  CHECK(columns.truncated(1) == 1);
}

TEST_CASE("unknown tokens are counted where the vocabulary has one, without what was cut off or skipped") {
  TokenDataset columns(
      {{.name = "source", .vocabulary = 9, .max_length = 3, .special = {.pad = 0, .unknown = 1}},
       {.name = "target", .vocabulary = 9, .special = {.pad = 0, .unknown = 1, .start = 2, .end = 3}},
       {.name = "other", .vocabulary = 9}});
  columns.add_line("1 5 6 1\t2 1 1 7 3\t1", "-:1");
  columns.add_line("1 1\t\t1", "-:2");
  columns.add_line("0 7\t2 3\t1", "-:3");
  const std::vector<ColumnTokenCounts> counts = columns.token_counts();
  REQUIRE(counts.size() == 2);
  CHECK(counts[0].column == "source");
  CHECK(counts[0].counts == TokenCounts{4, 1});
  CHECK(counts[1].column == "target");
  CHECK(counts[1].counts == TokenCounts{3, 2});
}

TEST_CASE("errors name the line, the column and the fix") {
  CHECK(error_of("1 2\t2 x7 3") ==
        "-:7:7: \"x7\" is not an id (ids are decimal numbers separated by one space; has the text been "
        "through vectorize?)");
  CHECK(error_of("caf\xC3\xA9 1\t2 3").starts_with("-:7:1: \"caf\xC3\xA9\" is not an id"));
  CHECK(error_of("1 100\t2 3") ==
        "-:7:3: id 100 in column \"source\", but its vocabulary ends at 99 (use the tokenizer that the ids "
        "were made with)");
  CHECK(error_of("1\t2 50").starts_with("-:7:5: id 50 in column \"target\""));
  CHECK(error_of("1 2") ==
        "-:7:4: 1 column where 2 are wanted: source, target (separate columns by one TAB, as paste does)");
  CHECK(error_of("1,2") ==
        "-:7:4: 1 column where 2 are wanted: source, target (looks like CSV: set data.csv_columns, or "
        "vectorize "
        "--csv)");
  CHECK(error_of("").starts_with("-:7:1: 1 column where 2 are wanted"));
  CHECK(error_of("1\t2 3\t4").starts_with("-:7:6: 3 columns where 2 are wanted"));
  CHECK(error_of("1  2\t2 3").starts_with("-:7:3: a space too many"));
  CHECK(error_of(" 1\t2 3").starts_with("-:7:1: a space too many"));
  CHECK(error_of("1 \t2 3").starts_with("-:7:2: a space too many"));
  CHECK(error_of("01\t2 3").starts_with("-:7:1: \"01\" is not an id"));
  CHECK(error_of("-1\t2 3").starts_with("-:7:1: \"-1\" is not an id"));
  CHECK(error_of("1.5\t2 3").starts_with("-:7:1: \"1.5\" is not an id"));
  CHECK(error_of("99999999999999999999\t2 3").starts_with("-:7:1: \"99999999999999999999\" is not an id"));
  CHECK(error_of("4294967296\t2 3").starts_with("-:7:1: id 4294967296 in column"));
  CHECK(error_of("1\t2").starts_with(
      "-:7:3: 1 id in column \"target\", which needs at least 2 (vectorize it with --start --end)"));
  CHECK(error_of("00\t2 3").starts_with("-:7:1: \"00\" is not an id"));
}

TEST_CASE("pairs with an empty side are skipped, more than 1 % of them is an error") {
  TokenDataset columns = two_columns();
  for (int i = 0; i < 99; ++i) columns.add_line("1\t2 3", "-:1");
  columns.add_line("\t2 3", "-:100");
  columns.finish("-");
  CHECK(columns.skipped() == 1);
  CHECK(columns.examples() == 99);
  columns.add_line("4 5\t", "-:101");
  CHECK(columns.examples() == 99);
  CHECK(columns.total_ids(0) == 99);
  columns.advise_on_empty_columns("--allow-empty leaves them out");
  CHECK_THROWS_WITH_AS(columns.finish("-"),
                       "-: 2 of 101 lines have an empty column, more than 1 % (did a stage of the pipe die? "
                       "if not, --allow-empty leaves them out)",
                       Error);
  columns.finish("-", true);
}

TEST_CASE("no lines, or none that is whole, is an error") {
  TokenDataset columns = two_columns();
  CHECK_THROWS_WITH_AS(columns.finish("-", true), "-: no examples (is the stage before it still alive?)",
                       Error);
  columns.add_line("\t", "-:1");
  CHECK_THROWS_AS(columns.finish("-", true), Error);
}

TEST_CASE("header lines are checked, column by column, and not counted") {
  TokenDataset columns = two_columns();
  columns.add_line("#ids v1 vocab=aaaa size=100 pad=0\t#ids v1 vocab=bbbb size=50 pad=0", "-:1");
  CHECK(columns.lines() == 0);
  CHECK(error_of("#ids v1 vocab=9f3c size=100 pad=0\t#ids v1 vocab=b size=50 pad=0") ==
        "-:7:9: ids were made with vocabulary \"9f3c\", but column \"source\" needs aaaa (vectorize again "
        "with the model's tokenizer)");
  CHECK(error_of("#ids v1 vocab=aaaa size=100 pad=0\t#ids v1 vocab=b size=51 pad=0")
            .starts_with("-:7:51: ids were made with a vocabulary of \"51\""));
  CHECK(error_of("#ids v1 vocab=aaaa size=100 pad=3\t#ids v1").starts_with("-:7:29: padding id \"3\""));
  CHECK(error_of("#ids v2 vocab=aaaa\t#ids v1").starts_with("-:7:6: header version \"v2\""));
  CHECK(error_of("#ids v1 colour=3\t#ids v1").starts_with("-:7:9: unknown word \"colour=3\""));
  CHECK(error_of("#ids v1").find("does not name 2 columns") != std::string::npos);
  CHECK(error_of("#ids v1\t1 2").find("a column without its header") != std::string::npos);
}

TEST_CASE("a column of values has one for each id") {
  const auto read = [](const std::string& value) {
    TokenDataset columns({{.name = "source", .vocabulary = 10, .max_length = 3, .has_values = true},
                          {.name = "label", .vocabulary = 2}});
    columns.add_line("#ids v1 vocab=0 size=10 pad=-1\t#ids v1 vocab=1 size=2 pad=-1", "-:1");
    columns.add_line("0:" + value + " 3:2\t1", "-:2");
    columns.add_line("\t1", "-:3");
    columns.add_line("1:1 2:1e-3 4:4 9:9\t0", "-:4");
    return columns;
  };
  const TokenDataset columns = read("0.84729785");
  REQUIRE(columns.examples() == 2);
  CHECK(columns.values(0, 0).size() == 2);
  CHECK(columns.values(0, 0)[0] == 0.84729785f);
  CHECK(columns.values(0, 0)[1] == 2);
  REQUIRE(columns.values(0, 1).size() == 3);
  CHECK(columns.values(0, 1)[1] == 0.001f);
  CHECK(columns.ids(0, 1)[2] == 4);
  CHECK(columns.values(1, 0).empty());
  CHECK(columns.truncated(0) == 1);
  CHECK(columns.skipped() == 1);
  CHECK(read("0.84729785").hash() == columns.hash());
  CHECK(read("0.84729791").hash() != columns.hash());
}

TEST_CASE("values that are none are refused with their column") {
  const auto said = [](const std::string& line, bool has_values) {
    TokenDataset columns({{.name = "source", .vocabulary = 10, .has_values = has_values}});
    return error_text([&] { columns.add_line(line, "-:7"); });
  };
  CHECK(said("1:2 3:-4.5e-6", true) == "(no error)");
  CHECK(said("1:2 3", true) ==
        "-:7:6: an id without a value in column \"source\" (entries are written id:value, as vectorize "
        "--output "
        "count, tf-idf and sublinear-tf-idf do)");
  for (const char* value : {"", "x", "nan", "inf", "-inf", "1e99", "1:2", "0x1", "+1", "1,5"}) {
    INFO(value);
    CHECK(said("4:1 1:" + std::string(value), true)
              .starts_with("-:7:7: \"" + std::string(value) + "\" is not a value"));
  }
  CHECK(said("1:2 ", true).starts_with("-:7:4: a space too many"));
  CHECK(said("1:2  2:1", true).starts_with("-:7:5: a space too many"));
  CHECK(said(":2", true).starts_with("-:7:1: \":2\" is not an id"));
  CHECK(said("01:2", true).starts_with("-:7:1: \"01:2\" is not an id"));
  CHECK(said("10:2", true).starts_with("-:7:1: id 10 in column"));
  CHECK(said("1:2", false).starts_with("-:7:1: \"1:2\" is not an id"));
}

TEST_CASE("the hash is that of each column's borders, from 0 on as 64-bit numbers, and its ids") {
  TokenDataset columns({{.name = "source", .vocabulary = 10'000}, {.name = "target", .vocabulary = 10'000}});
  std::vector<std::int64_t> borders[2] = {{0}, {0}};
  std::vector<std::int32_t> all[2];
  for (int i = 0; i < 9'000; ++i) {  // more than are hashed at once
    columns.add_line(std::to_string(i) + " " + std::to_string(i / 2) + "\t" + std::to_string(i / 3), "-");
    all[0].insert(all[0].end(), {i, i / 2});
    all[1].push_back(i / 3);
    for (const int c : {0, 1}) borders[c].push_back(static_cast<std::int64_t>(all[c].size()));
  }
  Hasher hasher;
  const auto update = [&](const auto& values) {
    hasher.update({reinterpret_cast<const char*>(values.data()), values.size() * sizeof values[0]});
  };
  for (const int c : {0, 1}) {
    update(borders[c]);
    update(all[c]);
  }
  CHECK(columns.hash() == hasher.digest());
}

TEST_CASE("the hash names the data: ids, borders and order") {
  const auto hash = [](std::initializer_list<const char*> lines) {
    TokenDataset columns = two_columns();
    for (const char* line : lines) columns.add_line(line, "-:1");
    return columns.hash();
  };
  CHECK(hash({"1 2\t2 3", "4\t2 3"}) == hash({"1 2\t2 3", "4\t2 3"}));
  std::set<std::string> hashes = {hash({"1 2\t2 3", "4\t2 3"}), hash({"1\t2 3", "2 4\t2 3"}),
                                  hash({"4\t2 3", "1 2\t2 3"}), hash({"1 2\t2 3"}),
                                  hash({"1 2\t2 4", "4\t2 3"})};
  CHECK(hashes.size() == 5);
  CHECK(hashes.begin()->size() == 32);
}

namespace {

TokenDataset labelled(const LabelSet& labels, LabelsAs as = LabelsAs::unsaid) {
  return TokenDataset({{.name = "source", .vocabulary = 10},
                       {.name = "label",
                        .vocabulary = labels.size(),
                        .vocabulary_hash = labels.hash(),
                        .labels = &labels,
                        .labels_as = as}});
}

std::string label_error(TokenDataset columns, std::initializer_list<const char*> lines) {
  return error_text([&] {
    for (const char* line : lines) columns.add_line(line, "t:1");
  });
}

}  // namespace

TEST_CASE("id columns: a column of labels has names or ids, and nothing else") {
  const LabelSet labels = LabelSet::parse("neg\npos\n", "made");
  for (const char* const second : {"pos", "1"}) {
    TokenDataset columns = labelled(labels);
    columns.add_line(std::string("1 2\t") + second, "t:1");
    columns.add_line(second == std::string("1") ? "3\t0" : "3\t neg ", "t:2");
    columns.add_line(std::string("\t") + second, "t:3");  // an empty text is skipped
    columns.finish("t", true);
    CHECK(columns.examples() == 2);
    CHECK(columns.skipped() == 1);
    CHECK(columns.ids(1, 0)[0] == 1);
    CHECK(columns.ids(1, 1)[0] == 0);
  }
  for (const auto& [line, says] :
       {std::pair{"1\t", "t:1:3: no label (every line needs one of neg, pos)"},
        {"1\tgreat",
         "t:1:3: \"great\" is no label of the set (known: neg, pos, or their numbers from 0 to 1; "
         "are the columns in the recipe's order?)"},
        {"1\t2", "t:1:3: \"2\" is no label of the set"},
        {"1\t01", "\"01\" is no label"},
        {"1\t-1", "\"-1\" is no label"},
        {"1\t1 1", "\"1 1\" is no label"},
        {"1", "t:1:2: 1 column where 2 are wanted: source, label"}}) {
    INFO(std::string(line));
    CHECK(label_error(labelled(labels), {line}).find(says) != std::string::npos);
  }
  // One column has one of the two: a stray number among names is no id.
  CHECK(label_error(labelled(labels), {"1\tneg", "1\t1"}) ==
        "t:1:3: \"1\" is no label of the set (known: neg, pos; this column has names)");
  CHECK(label_error(labelled(labels), {"1\t0", "1\tpos"}) ==
        "t:1:3: \"pos\" is no id of a label (ids are from 0 to 1; this column has ids; --labels-as names or "
        "ids says what it has)");
  CHECK(label_error(labelled(labels, LabelsAs::names), {"1\t1"}).ends_with("this column has names)"));
  CHECK(label_error(labelled(labels, LabelsAs::ids), {"1\tneg"}).find("is no id of a label") !=
        std::string::npos);
}

TEST_CASE("id columns: of labels that are numbers it must be said whether they are names or ids") {
  const LabelSet years = LabelSet::parse("1\n0\n", "made");
  const std::string header =
      "#ids v1 vocab=0 size=10 pad=0\t#ids v1 vocab=" + years.hash().substr(0, 16) + " size=2 pad=-1";
  CHECK(label_error(labelled(years), {"1\t1"}) ==
        "t:1:3: labels that are numbers: \"1\" is the name of one label and the id of another, \"0\" (say "
        "which the column has: --labels-as names, or --labels-as ids for what vectorize --labels wrote; a "
        "header line says ids, too)");
  for (const LabelsAs as : {LabelsAs::names, LabelsAs::ids}) {
    TokenDataset columns = labelled(years, as);
    columns.add_line("2\t1", "t:1");
    CHECK(columns.ids(1, 0)[0] == (as == LabelsAs::names ? 0 : 1));
  }
  TokenDataset headed = labelled(years);
  headed.add_line(header, "t:1");
  headed.add_line("2\t1", "t:2");
  CHECK(headed.ids(1, 0)[0] == 1);
  CHECK(label_error(labelled(years, LabelsAs::names), {header.c_str()})
            .ends_with(
                "a header line, after which labels are ids (leave out --labels-as names, or the header)"));
}
