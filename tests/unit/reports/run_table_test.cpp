#include "reports/run_table.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "families/registry.hpp"

using namespace headwater;

namespace {

Recipe recipe_of(const std::string& text) { return parse_recipe(text, "r.yaml"); }

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

TEST_CASE("the best run of each task and data has a mark, one that failed has none") {
  const auto row_of = [](const char* name, double loss, double accuracy, const char* metric,
                         const char* set) {
    RunRow row;
    row.name = name;
    row.recipe = recipe_of(std::string("training: {best_metric: ") + metric + "}\n");
    row.recipe->data.set = set;
    row.figures.epochs = row.figures.best_epoch = 1;
    row.figures.validation_loss = loss;
    row.figures.validation_accuracy = accuracy;
    return row;
  };
  std::vector<RunRow> rows{row_of("a", 0.5, 0.7, "loss", "x"),     row_of("b", 0.4, 0.6, "loss", "x"),
                           row_of("c", 0.1, 0.9, "loss", "y"),     row_of("d", 0.3, 0.8, "accuracy", "x"),
                           row_of("e", 0.2, 0.9, "accuracy", "x"), row_of("f", 0.01, 0.9, "loss", "x")};
  rows[5].failed = "step 9: the loss is nan";
  CHECK(best_runs(rows) == std::vector<bool>{false, true, false, false, true, false});
  const std::string text = run_table_text(rows);
  CHECK(text.find("\nb *") != std::string::npos);
  CHECK(text.find("\na *") == std::string::npos);
  CHECK(text.find("\n* The best of its task and data") != std::string::npos);
  CHECK(text.find("step 9: the loss is nan\n") != std::string::npos);
  CHECK(run_table_csv(rows).find("b *") == std::string::npos);
  CHECK(run_table_json(rows)[1].find("is_best")->as_bool());
  CHECK(run_table_json(rows)[0].find("is_best") == nullptr);
  CHECK(run_table_json(rows)[5].find("failed")->as_string() == "step 9: the loss is nan");
  CHECK(best_runs({rows[0]}) == std::vector<bool>{false});
}

TEST_CASE("a model that is solved is compared by the metric that chooses among the others") {
  const auto row_of = [](const std::string& model, const std::string& training, double loss,
                         double accuracy) {
    RunRow row;
    row.recipe = recipe_of("data: {columns: [source, label]}\nmodel: {kind: " + model + "}\n" + training);
    row.figures.epochs = row.figures.best_epoch = 1;
    row.figures.validation_loss = loss;
    row.figures.validation_accuracy = accuracy;
    return row;
  };
  const std::string accuracy = "training: {best_metric: accuracy}\n",
                    loss = "training: {best_metric: loss}\n";
  const RunRow linear = row_of("linear", "", 0.3, 0.8), other_linear = row_of("linear", "", 0.2, 0.7),
               bag = row_of("bag_of_words", accuracy, 0.6, 0.9),
               classifier = row_of("classifier", loss, 0.5, 0.6);
  CHECK(best_runs({linear, bag}) == std::vector<bool>{false, true});
  CHECK(best_runs({linear, classifier}) == std::vector<bool>{true, false});
  CHECK(best_runs({linear, other_linear}) == std::vector<bool>{false, true});
  CHECK(best_runs({linear, other_linear, bag, classifier}) == std::vector<bool>{false, true, false, false});
}
