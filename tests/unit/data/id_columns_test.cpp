// The same examples as lines and in a file of columns.
#include "data/id_columns.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "data/token_dataset.hpp"
#include "error_text.hpp"
#include "scratch_directory.hpp"
#include "support/bytes.hpp"
#include "support/files.hpp"

using namespace headwater;

namespace {

struct ColumnNumbers {
  std::vector<std::int64_t> ends;
  std::vector<std::int32_t> ids;
  std::vector<float> values = {};
};

std::string file_of(const std::vector<ColumnNumbers>& columns, const std::string& hash = "",
                    const std::string& size = "") {
  std::vector<IdColumnsHead::Column> heads;
  for (const ColumnNumbers& column : columns)
    heads.push_back({.ids = static_cast<std::int64_t>(column.ids.size()),
                     .has_values = !column.values.empty(),
                     .vocabulary_hash = hash,
                     .vocabulary_size = size});
  const IdColumnsHead head = id_columns_head(static_cast<std::int64_t>(columns.front().ends.size()), heads);
  std::string bytes = head.bytes;
  for (const IdColumnsHead::Place& place : head.order) {
    const ColumnNumbers& column = columns[place.column];
    bytes += place.part == IdColumnsHead::Part::ends  ? raw_bytes(column.ends)
             : place.part == IdColumnsHead::Part::ids ? raw_bytes(column.ids)
                                                      : raw_bytes(column.values);
  }
  return bytes;
}

const std::vector<ColumnNumbers> kPairs{{{2, 3, 7}, {5, 6, 9, 1, 2, 3, 4}},
                                        {{2, 5, 9}, {2, 3, 2, 8, 3, 2, 7, 7, 3}}};

std::vector<TokenColumnSettings> pair_settings() {
  return {{.name = "source",
           .vocabulary = 10,
           .max_length = 3,
           .special = {.unknown = 1},
           .vocabulary_hash = "0123456789abcdefff"},
          {.name = "target", .vocabulary = 10, .max_length = 9, .min_length = 2, .first_id = 2}};
}

// What reading these columns throws; the same bytes are read as those of a file.
std::string fault(const std::string& bytes, std::vector<TokenColumnSettings> settings = pair_settings()) {
  return error_text([&] {
    TokenDataset columns(std::move(settings));
    columns.add(Safetensors(bytes, "f"));
    columns.finish("f");
  });
}

// kPairs, changed.
template <class F>
std::string fault_of(const F& change) {
  std::vector<ColumnNumbers> columns = kPairs;
  change(columns);
  return fault(file_of(columns));
}

}  // namespace

TEST_CASE("a file of columns holds what lines hold, cut and counted alike, under the same hash") {
  TokenDataset lines(pair_settings()), file(pair_settings());
  for (const char* line : {"5 6\t2 3", "9\t2 8 3", "1 2 3 4\t2 7 7 3"}) lines.add_line(line, "l");
  lines.finish("l");
  const std::string bytes = file_of(kPairs, "0123456789abcdef");
  file.add(Safetensors(bytes, "f"));
  file.finish("f");
  REQUIRE(file.examples() == 3);
  for (std::size_t c = 0; c < 2; ++c) {
    for (std::int64_t e = 0; e < 3; ++e) {
      const auto one = lines.ids(c, e), other = file.ids(c, e);
      CHECK(std::vector(one.begin(), one.end()) == std::vector(other.begin(), other.end()));
      CHECK(lines.count(c, e) == file.count(c, e));
    }
    CHECK(lines.truncated(c) == file.truncated(c));
  }
  CHECK(file.truncated(0) == 1);
  CHECK(file.token_counts()[0].counts.tokens == lines.token_counts()[0].counts.tokens);
  CHECK(file.token_counts()[0].counts.unknown == 1);
  CHECK(file.hash() == lines.hash());
}

TEST_CASE("values of bags and labels lie in columns too") {
  const LabelSet labels = LabelSet::parse("no\nyes\n", "labels");
  const std::vector<TokenColumnSettings> settings{{.name = "source", .vocabulary = 10, .has_values = true},
                                                  {.name = "label", .vocabulary = 2, .labels = &labels}};
  TokenDataset lines(settings), file(settings);
  for (const char* line : {"5:0.5 6:2\tyes", "9:1\tno"}) lines.add_line(line, "l");
  const std::string bytes = file_of({{{2, 3}, {5, 6, 9}, {0.5f, 2, 1}}, {{1, 2}, {1, 0}}});
  file.add(Safetensors(bytes, "f"));
  CHECK(file.hash() == lines.hash());
  CHECK(file.values(0, 0)[1] == 2);
  CHECK(file.values(0, 1).size() == 1);
  CHECK(file.values(1, 0).empty());
  CHECK(fault(file_of(
                  {{{2, 3}, {5, 6, 9}, {0.5f, std::numeric_limits<float>::infinity(), 1}}, {{1, 2}, {1, 0}}}),
              settings) ==
        "f: example 0 (from 0), column \"source\": a value that is not finite (vectorize again)");
  CHECK(fault(file_of({{{2, 3}, {5, 6, 9}}, {{1, 2}, {1, 0}}}), settings) ==
        "f: column 0 (from 0): no values, which this model reads with its ids (vectorize again as the recipe "
        "has it)");
  CHECK(fault(file_of({{{2, 3}, {5, 6, 9}, {1, 1, 1}}, {{2, 3}, {1, 0, 1}}}), settings) ==
        "f: example 0 (from 0), column \"label\": 2 labels where one is wanted");
  CHECK(fault(file_of({{{2, 3}, {5, 6, 9}, {1, 1, 1}}, {{1, 2}, {1, 2}}}), settings) ==
        "f: example 1 (from 0), column \"label\": id 2, but its vocabulary ends at 1 (use the tokenizer that "
        "the ids were made "
        "with)");
  std::vector<TokenColumnSettings> by_name = settings;
  by_name[1].labels_as = LabelsAs::names;
  CHECK(fault(bytes, by_name) ==
        "f: column 1 (from 0): labels are ids in such a file (leave out --labels-as names)");
}

TEST_CASE("what a line may not hold, a column may not either") {
  CHECK(fault_of([](auto& c) { c[0].ids[2] = 10; }) ==
        "f: example 1 (from 0), column \"source\": id 10, but its vocabulary ends at 9 (use the tokenizer "
        "that the ids were "
        "made with)");
  CHECK(fault_of([](auto& c) { c[0].ids[2] = -1; }).find("id -1") != std::string::npos);
  CHECK(fault_of([](auto& c) { c[1].ids[2] = 3; }) ==
        "f: example 1 (from 0), column \"target\": begins with id 3, not with the start token 2 (vectorize "
        "it with --start "
        "--end, or paste the columns in the recipe's order)");
  CHECK(fault_of([](auto& c) {
          c[1].ends = {2, 3, 9};
        }) ==
        "f: example 1 (from 0), column \"target\": 1 id, which needs at least 2 (vectorize it with --start "
        "--end)");
  CHECK(fault_of([](auto& c) {
          c[0].ends = {2, 2, 7};
        }) ==
        "f: example 1 (from 0), column \"source\": no id (vectorize --output dataset leaves such examples "
        "out)");
  CHECK(fault_of([](auto& c) {
          c[0].ends = {2, 8, 7};
        }) == "f: column \"source\": list 1 (from 0) begins at 2 and ends at 8, of 7 ids");
  CHECK(fault_of([](auto& c) {
          c[0].ends = {-1, 3, 7};
        }) == "f: column \"source\": list 0 (from 0) begins at 0 and ends at -1, of 7 ids");
  CHECK(fault_of([](auto& c) {
          c[0].ends = {2, 3, 6};
        }).starts_with("f: the last example of column 0 (from 0) ends at 6, there are 7 ids ("));
  CHECK(fault_of([](auto& c) { c.pop_back(); }) == "f: 1 column where 2 are wanted: source, target");
  CHECK(fault_of([](auto& c) {
          for (ColumnNumbers& column : c) column = {};
        }) == "f: no examples (is the stage before it still alive?)");
}

TEST_CASE("columns of another vocabulary, or of another form, are refused") {
  CHECK(
      fault(file_of(kPairs, "0123456789abcdee")) ==
      "f: column 0 (from 0): ids were made with vocabulary \"0123456789abcdee\", but column \"source\" needs "
      "0123456789abcdefff (vectorize again with the model's tokenizer)");
  CHECK(fault(file_of(kPairs, "", "11")) ==
        "f: column 0 (from 0): ids were made with a vocabulary of \"11\", but column \"source\" has 10 "
        "(vectorize again with "
        "the model's tokenizer)");
  const std::vector<std::int64_t> ends{2, 3, 7};
  const std::vector<std::int32_t> ids{5, 6, 9, 1, 2, 3, 4};
  const TensorView good_ends{"ends.0", Dtype::i64, {3}, raw_bytes(ends)},
      good_ids{"ids.0", Dtype::i32, {7}, raw_bytes(ids)};
  const std::vector<TokenColumnSettings> one{{.name = "source", .vocabulary = 10}};
  CHECK(fault(to_safetensors({good_ends, good_ids}), one) == "(no error)");
  CHECK(fault(to_safetensors({good_ids}), one).starts_with("f: tensor \"ends.0\" is missing ("));
  CHECK(fault(to_safetensors({good_ends}), one).starts_with("f: tensor \"ids.0\" is missing ("));
  CHECK(fault(to_safetensors({good_ends, {"ids.0", Dtype::f32, {7}, raw_bytes(ids)}}), one)
            .starts_with("f: tensor \"ids.0\" is not a row of I32 ("));
  CHECK(fault(to_safetensors({{"ends.0", Dtype::i64, {3, 1}, raw_bytes(ends)}, good_ids}), one)
            .starts_with("f: tensor \"ends.0\" is not a row of I64 ("));
  CHECK(fault(to_safetensors({{"ids", Dtype::i32, {7}, raw_bytes(ids)}}), one)
            .starts_with("f: the ids of one long text, where columns are wanted ("));
  TokenDataset twice(pair_settings());
  const std::string bytes = file_of(kPairs);
  twice.add(Safetensors(bytes, "f"));
  CHECK(error_text([&] {
          twice.add(Safetensors(bytes, "g"));
        }).starts_with("g: a second file of columns of ids ("));
}

TEST_CASE(
    "a file whose hash is known is not read as a whole, and what is wrong in it is found where it is used") {
  std::vector<ColumnNumbers> columns = kPairs;
  columns[0].ids[2] = 10;
  const std::string bytes = file_of(columns);
  TokenDataset known(pair_settings());
  known.know_hash("of rank 0");
  known.add(Safetensors(bytes, "f"));
  known.finish("f");
  CHECK(known.hash() == "of rank 0");
  CHECK(known.ids(0, 0).size() == 2);
  CHECK(error_text([&] { known.ids(0, 1); }) ==
        "a file of columns of ids has changed while it was trained on: example 1 (from 0), column "
        "\"source\": id 10, but its "
        "vocabulary ends at 9 (use the tokenizer that the ids were made with)");
}

TEST_CASE("a file of columns is mapped, told from others, and refused where it is a text") {
  const ScratchDirectory folder;
  write_file(folder / "columns", file_of(kPairs));
  write_file(folder / "lines", "5 6\t2 3\n");
  CHECK(holds_id_columns(folder / "columns"));
  CHECK_FALSE(holds_id_columns(folder / "lines"));
  TokenDataset columns(pair_settings());
  columns.add_file(folder / "columns");
  columns.finish("columns");
  CHECK(columns.ids(1, 2).size() == 4);
  TokenDataset lines(pair_settings());
  CHECK(error_text([&] {
          lines.add_file(folder / "lines");
        }).ends_with(": a text, beside a file of columns of ids (give lines or one such file, not both)"));
}
