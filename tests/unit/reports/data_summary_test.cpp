#include "reports/data_summary.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "error_text.hpp"
#include "support/random.hpp"

using namespace headwater;

namespace {

std::size_t random_number(std::uint64_t element) {
  return random_word({.seed = 11, .purpose = Purpose::split}, element);
}

}  // namespace

TEST_CASE("lengths: mean, median, quantiles and bins agree with sorting") {
  for (const std::size_t count : {1u, 2u, 3u, 10u, 101u, 1000u}) {
    INFO(count, " samples");
    LengthCounts lengths;
    std::vector<std::int64_t> all;
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t length = static_cast<std::int64_t>(
          random_number(i) % 7 == 0 ? random_number(i + 5000) % 900 : random_number(i + 5000) % 90);
      all.push_back(length);
      lengths.add(length);
    }
    std::sort(all.begin(), all.end());
    std::int64_t sum = 0;
    for (const std::int64_t length : all) sum += length;
    CHECK(lengths.words() == sum);
    CHECK(lengths.mean() == doctest::Approx(static_cast<double>(sum) / static_cast<double>(count)));
    CHECK(lengths.median() == static_cast<double>(all[(count - 1) / 2] + all[count / 2]) / 2);
    CHECK(lengths.longest() == all.back());
    CHECK(lengths.empty() == std::count(all.begin(), all.end(), 0));
    for (const double share : {0.5, 0.9, 0.99, 1.0}) {
      const auto at = static_cast<std::size_t>(std::ceil(share * static_cast<double>(count))) - 1;
      CHECK(lengths.quantile(share) == all[at]);
    }
    std::int64_t in_bins = 0, next = 0;
    const auto bins = lengths.histogram(10);
    CHECK(bins.size() <= 11);
    for (const auto& bin : bins) {
      CHECK(bin.min == next);
      next = bin.max + 1;
      CHECK(bin.samples == std::count_if(all.begin(), all.end(), [&](std::int64_t length) {
              return length >= bin.min && length <= bin.max;
            }));
      in_bins += bin.samples;
    }
    CHECK(in_bins == static_cast<std::int64_t>(count));
  }
  CHECK(LengthCounts().histogram(5).empty());
  CHECK(LengthCounts().median() == 0);
}

TEST_CASE("a column of repeated values is a label, one of different texts is not") {
  DataSummary labelled, pairs;
  for (int i = 0; i < 50; ++i) {
    labelled.add("good film number " + std::to_string(i) + (i % 5 == 0 ? "\tneg" : "\tpos"));
    pairs.add("one " + std::to_string(i) + "\tuno " + std::to_string(i));
  }
  const std::vector<Json> rows = labelled.json();
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].at("mean_words").as_number() == 4);
  CHECK(
      rows[1].dump() ==
      R"({"version":1,"column":"column 2","kind":"label","samples":50,"classes":[{"label":"neg","samples":10},{"label":"pos","samples":40}]})");
  CHECK(rows[2].dump() == R"({"version":1,"ratio":12.5,"threshold":1500.0,"prefer":"bag of words"})");
  CHECK(pairs.json()[1].at("kind").as_string() == "text");
  CHECK(labelled.text().find("neg             10  20.0 %") != std::string::npos);
  CHECK(labelled.text().ends_with(
      "samples / mean words a sample = 12.5 <= 1,500: a bag of words or n-grams should do as well\n"));
}

TEST_CASE("many short samples ask for a sequence model") {
  DataSummary data({"source", "label"});
  for (int i = 0; i < 3002; ++i) data.add("two words\t0");
  CHECK(data.ratio() == 1501);
  CHECK(data.text().ends_with("= 1501.0 > 1,500: prefer a sequence model\n"));
}

TEST_CASE("columns that were named are what they are called") {
  DataSummary data({"label", "source"});
  data.add("a\tx y");
  data.add("b\tz");
  CHECK(data.json()[0].at("kind").as_string() == "label");
  CHECK(data.json()[0].at("classes").as_array().size() == 2);
  CHECK(error_text([&] { data.add("x y"); }) ==
        " 1 column where 2 are wanted: label, source (separate columns by one TAB; --columns names them)");
  CHECK(error_text([&] { data.add("\tx y"); }) == " an empty label in column 1 (give every line its label)");
  std::string long_label(1001, 'x');
  long_label += "\tx";
  CHECK(error_text([&] { data.add(long_label); }).starts_with(" a label of 1001 bytes"));
  CHECK(error_text([&] {
          for (int i = 0; i < 10001; ++i) data.add(std::to_string(i) + "\tx");
        }) == " more than 10000 labels (is this the right column?)");
}

TEST_CASE("no lines are an error; lines without a word are not") {
  CHECK(error_text([&] { (void)DataSummary().text(); }) == "no lines (a data set has one sample a line)");
  DataSummary data;
  data.add("");
  CHECK(data.ratio() == 0);
  CHECK(data.text().find("words of column 1") != std::string::npos);
}
