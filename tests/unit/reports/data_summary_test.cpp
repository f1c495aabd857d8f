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
  CHECK(rows[2].dump() == R"({"version":1,"ratio":12.5,"threshold":1500.0,"prefer":"linear"})");
  CHECK(pairs.json()[1].at("kind").as_string() == "text");
  CHECK(labelled.text().find("neg             10  20.0 %") != std::string::npos);
  CHECK(
      labelled.text().ends_with("samples / mean words a sample = 12.5 <= 1,500: begin with kind: linear, and "
                                "measure others against it\n"));
}

TEST_CASE("a translation that repeats is no label, and pairs get no advice for classifiers") {
  DataSummary pairs, words, classes, sentences, unspaced;
  for (const char* line :
       {"Hi, my friend.\tHola, amigo.", "Hello, my friend.\tHola, amigo.", "Hi, friend.\tHola, amigo.",
        "See you soon.\tHasta luego.", "See you later.\tHasta luego.", "Bye for now.\tHasta luego."})
    pairs.add(line);
  for (const char* line :
       {"hi\thola", "hello\thola", "hey\thola", "bye\tadios", "ciao\tadios", "cheerio\tadios"})
    words.add(line);
  for (int i = 0; i < 40; ++i) {
    classes.add("w" + std::to_string(i) + (i % 2 == 0 ? "\tnoun" : "\tverb"));  // as short, but very often
    sentences.add("text " + std::to_string(i) + "\tone and the same sentence again");
    unspaced.add("text " + std::to_string(i) + "\t" + std::string(61, 'x'));
  }
  for (DataSummary* data : {&pairs, &words, &sentences, &unspaced}) {
    const std::vector<Json> rows = data->json();
    REQUIRE(rows.size() == 2);  // no rule
    CHECK(rows[1].at("kind").as_string() == "text");
    CHECK(data->text().find("samples / mean words") == std::string::npos);
  }
  CHECK(classes.json()[1].at("kind").as_string() == "label");
  DataSummary named({"source", "target"}), source({"source"});
  named.add("a b\tc d");
  source.add("a b");
  CHECK(named.text().find("samples / mean words") == std::string::npos);
  CHECK(named.json().size() == 2);
  CHECK(source.text().find("samples / mean words") ==
        std::string::npos);  // of no classifier, as far as it says
}

TEST_CASE("many short samples ask for a sequence model") {
  DataSummary data({"source", "label"});
  for (int i = 0; i < 3002; ++i) data.add("two " + std::to_string(i) + "\t0");
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
  CHECK(error_text([&] { data.add("a\tx\ty"); }) ==
        " 3 columns where 2 are wanted: label, source (turn TABs inside a text into spaces, or name every "
        "column "
        "with --columns)");
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

TEST_CASE("the advice is of the text, wherever the label stands") {
  DataSummary first, last, repeated;
  for (int i = 0; i < 40; ++i) {
    const std::string text = "some words of number " + std::to_string(i), label = i % 2 == 0 ? "a b" : "c";
    first.add(label + "\t" + text);
    last.add(text + "\t" + label);
    repeated.add(label + "\tthe same three or four words");  // both repeat: text is the longer one
  }
  CHECK(first.json()[0].at("kind").as_string() == "label");
  CHECK(first.ratio() == last.ratio());
  CHECK(first.ratio() == 8);
  CHECK(repeated.json()[0].at("kind").as_string() == "label");
  CHECK(repeated.json()[1].at("kind").as_string() == "text");
}

TEST_CASE("labels are trimmed; near duplicates are named") {
  DataSummary data({"source", "label"});
  for (const char* label :
       {"Games", "Games ", "games", " Games", "Board  games", "board games", "\u00a0x", "y"})
    data.add(std::string("text of ") + label + "\t" + label);
  CHECK(data.json()[1].at("classes").as_array().size() == 6);
  CHECK(data.json()[1].at("classes").as_array()[1].at("samples").as_number() == 3);
  CHECK(data.warnings() ==
        std::vector<std::string>{
            "label: white space around labels is dropped: \" Games\", \"Games \", \"\u00a0x\"",
            "label: labels that differ in case or white space only: \"Board  games\", \"board games\"",
            "label: labels that differ in case or white space only: \"Games\", \"games\""});
  CHECK(data.json().back().at("warning").as_string().starts_with("label: labels that differ"));
  CHECK(error_text([&] { data.add("text\t "); }) ==
        " an empty label in column 2 (give every line its label)");
}

TEST_CASE("texts that repeat an earlier one are counted, and said where there is a label") {
  DataSummary data({"source", "label"}), texts({"source"});
  for (const char* text : {"one", "two", "one", "", "", "two", "one"}) {
    data.add(std::string(text) + "\tx");
    texts.add(text);
  }
  CHECK(data.json()[0].at("repeated").as_number() == 3);
  CHECK(data.text().find("\nrepeated                      3\n") != std::string::npos);
  REQUIRE(data.warnings().size() == 1);
  CHECK(data.warnings()[0].starts_with("source: 42.9 % of the texts repeat that of an earlier line; "));
  CHECK(texts.json()[0].at("repeated").as_number() == 3);
  CHECK(texts.warnings().empty());
}

TEST_CASE("labels with quotes print as they are") {
  DataSummary data({"source", "label"});
  data.add("x\tsay \"hi\" \\");
  CHECK(data.text().find("\nsay \"hi\" \\ ") != std::string::npos);
  CHECK(data.text().find("\n1 class ") != std::string::npos);
}

TEST_CASE("CSV and headers are said") {
  DataSummary csv, quoted, prose, named, words, once, plain;
  for (int i = 0; i < 30; ++i) {
    csv.add(std::to_string(i) + ",some text,pos");
    prose.add(i == 7 ? "Well, yes, no" : "Well, this is number " + std::to_string(i));
  }
  CHECK(csv.warnings() ==
        std::vector<std::string>{"this looks like CSV of 3 fields, which is no column of text; "
                                 "make lines of columns of it: vectorize --csv --column NAME "
                                 "..."});
  CHECK(csv.text().find("samples / mean words") == std::string::npos);  // no advice on what is no text
  CHECK(prose.warnings().empty());
  quoted.add("a;\"b");
  quoted.add("c\";d");
  CHECK(quoted.warnings().empty());
  quoted.add("a;b;c");
  CHECK(quoted.warnings().size() == 1);
  CHECK(quoted.warnings().front().ends_with(": vectorize --csv --separator ';' --column NAME ..."));
  DataSummary several({"source", "label"}), header;
  for (const char* line : {"\"what they", "wrote\",\"stars given\",\"the label\"", "\"fine, really\",5,pos"})
    header.add(line);
  CHECK(header.warnings().front().starts_with(
      "this looks like CSV of 3 fields (\"what they wrote\", \"stars given\", \"the label\")"));
  CHECK(error_text([&] { several.add("id;text;label"); }) ==
        " 1 column where 2 are wanted: source, label (of CSV make such lines first: vectorize --csv "
        "--separator ';' --column NAME ...)");
  named.add("Review Text,label");
  CHECK(named.warnings().front().starts_with("this looks like CSV of 2 fields (\"Review Text\", \"label\")"));

  words.add("source\tTarget");
  CHECK(words.warnings().empty());  // a sample like others
  words.add("a\tb");
  CHECK(words.warnings() ==
        std::vector<std::string>{"line 1 looks like a header (\"source\", \"Target\"); drop it: tail -n +2"});
  once.add("what they wrote\tart");
  plain.add("what they wrote\tpos");
  for (int i = 0; i < 20; ++i) {
    once.add("text " + std::to_string(i) + (i % 2 == 0 ? "\tpos" : "\tneg"));
    plain.add("text " + std::to_string(i) + (i % 2 == 0 ? "\tpos" : "\tneg"));
  }
  CHECK(once.warnings().size() == 1);
  CHECK(plain.warnings().empty());

  DataSummary wanted({"source", "label"});
  CHECK(error_text([&] { wanted.add("a text,pos"); }) ==
        " 1 column where 2 are wanted: source, label (of CSV make such lines first: vectorize --csv --column "
        "NAME ...)");
}
