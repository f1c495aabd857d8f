#include "reports/run_table.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "pretrained/registry.hpp"

using namespace headwater;

namespace {

Recipe recipe_of(const char* text) { return parse_recipe(text, "r.yaml"); }

}  // namespace

TEST_CASE("keys that differ are found among the recipes that are known") {
  const DifferingKeys keys = differing_keys(
      {recipe_of("name: a\nmodel: {width: 16, heads: 2}\nsource_tokenizer: {size: 20}\n"), std::nullopt,
       recipe_of("name: b\nmodel: {width: 32, heads: 2}\ntarget_tokenizer: {size: 30}\n"
                 "source_tokenizer: {size: 21}\n")});
  CHECK(keys.keys ==
        std::vector<std::string>{"model.width", "source_tokenizer.size", "target_tokenizer.size"});
  CHECK(keys.short_name(0) == "width");
  CHECK(keys.short_name(1) == "source_tokenizer.size");  // another ends in size, too
  REQUIRE(keys.values.size() == 3);
  CHECK(keys.values[0][0] == "16");
  CHECK(!keys.values[1][0]);
  CHECK(keys.values[2][0] == "32");
  CHECK(differing_keys({std::nullopt}).keys.empty());
  CHECK(differing_keys({}).values.empty());
}

TEST_CASE("a key that one run chose has the value of every run, also where it follows from others") {
  const DifferingKeys same = differing_keys({recipe_of("model: {width: 16, feed_forward_width: 128}\n"),
                                             recipe_of("model: {width: 32, feed_forward_width: 128}\n")});
  CHECK(same.keys == std::vector<std::string>{"model.width"});
  const DifferingKeys other = differing_keys(
      {recipe_of("model: {width: 16}\n"), recipe_of("model: {feed_forward_width: 100, width: 16}\n")});
  REQUIRE(other.keys == std::vector<std::string>{"model.feed_forward_width"});
  CHECK(other.values[0][0] == "64");
  CHECK(other.values[1][0] == "100");
}

TEST_CASE("the figures of a table of scores are its first rows that are numbers") {
  CHECK(figures_of_score_table(
            "metric    value  details\n------  -------  -------\nloss     0.4321  over  two\n"
            "parts   1,234.5\n         nothing  here\nunknown  0.5  of all\nlast        1\n"
            "text    a lot\n\nlater       2\n") ==
        NamedFigures{{"loss", 0.4321}, {"parts", 1234.5}, {"last", 1}});
  CHECK(figures_of_score_table("").empty());
  CHECK(figures_of_score_table("\n").empty());
  CHECK(figures_of_score_table("loss  nan\nx  \n  y\nz").empty());
}

TEST_CASE("rows of runs as CSV and JSON: nothing where there is nothing") {
  RunRow row;
  row.name = "a,b";
  CHECK(run_table_csv({row}) == "run,epochs,best_epoch,validation_loss,seconds,parameters\n\"a,b\",0,,,,\n");
  CHECK(run_table_json({row})[0].dump() == R"({"version":1,"run":"a,b","recipe":{},"epochs":0})");
  row.figures.epochs = 2;
  row.figures.best_epoch = 1;
  row.figures.validation_loss = std::numeric_limits<double>::quiet_NaN();
  row.figures.figures = {{"validation_bleu", 12.5}, {"validation_chrf", std::nullopt}};
  row.figures.seconds_an_epoch = 1.5;
  row.test = {{"bleu", 20.25}};
  row.parameters = 1234567;
  CHECK(run_table_json({row})[0].dump() ==
        R"({"version":1,"run":"a,b","recipe":{},"epochs":2,"best_epoch":1,"validation":{"loss":null,)"
        R"("accuracy":0.0,"bleu":12.5},"training_loss":0.0,"seconds":3.0,)"
        R"("test":{"bleu":20.25},"parameters":1234567})");
  row.figures.validation_loss = 0.5;
  CHECK(run_table_text({row}) ==
        "run  epochs  best_epoch  validation_loss  test_bleu  seconds  parameters\n"
        "---  ------  ----------  ---------------  ---------  -------  ----------\n"
        "a,b       2           1           0.5000      20.25      3.0   1,234,567\n");
}
