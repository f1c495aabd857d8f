#include "reports/run_page.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace headwater;

namespace {

RunPage page_of_a_run() {
  RunPage page;
  page.name = "toy";
  page.table = "metric  value\n";
  page.figures.best_epoch = 2;
  page.figures.epochs = 3;
  page.figures.seconds_an_epoch = 1000.17;
  page.figures.seconds_to_best = 2000.5;
  page.figures.tokens_per_second = 340000.9;
  page.cost = {.parameters = 650689, .bytes = 1610612736, .machine = "a machine"};
  page.files = {"toy/model"};
  return page;
}

}  // namespace

TEST_CASE("the page of a run: what it reached, what it cost, where it is") {
  CHECK(run_page_text(page_of_a_run()) ==
        "# toy\n\n```\nmetric  value\n```\n"
        "\n## what it cost\n\n```\n"
        "training       3,000.5 s: 3 epochs; 2,000.5 s to the best one, 2\n"
        "speed          340,000 tokens/s, read and predicted\n"
        "parameters     650,689\n"
        "memory         1,536 MiB: parameters and gradients, optimizer, a step\n"
        "machine        a machine\n```\n"
        "\n## files\n\n```\ntoy/model\n```\n");
}

TEST_CASE("the speed of a model of images, and a run of which little is known") {
  RunPage page = page_of_a_run();
  page.cost.patches = 49;
  page.figures.epochs = 2;
  CHECK(run_page_text(page).find("\ntraining       2,000.3 s: 2 epochs\n"
                                 "speed          6,939 images/s, of 49 patches each\n") != std::string::npos);
  page.figures = {};
  page.cost = {};
  CHECK(run_page_text(page).find("\n## what it cost\n\n```\n```\n") != std::string::npos);
  page.figures.epochs = 1;
  page.figures.tokens_per_second = std::numeric_limits<double>::infinity();
  page.figures.seconds_an_epoch = std::numeric_limits<double>::quiet_NaN();
  CHECK(run_page_text(page).find("\ntraining       nan s: 1 epoch\n") != std::string::npos);
}

TEST_CASE("the same test in other orders of its tokens") {
  RunPage page = page_of_a_run();
  page.test_table = "accuracy  0.8000\n";
  page.orders = {{"as written", {{"loss", 0.5}, {"accuracy", 0.8}}}, {"reversed", {{"accuracy", 0.75}}}};
  CHECK(run_page_text(page).find("\n## test\n\n```\naccuracy  0.8000\n```\n"
                                 "\n## the same test in other orders of its tokens\n\n```\n"
                                 "order         loss  accuracy\n"
                                 "----------  ------  --------\n"
                                 "as written  0.5000    0.8000\n"
                                 "reversed         -    0.7500\n```\n") != std::string::npos);
}

TEST_CASE("epochs of a language model, and what it wrote after each") {
  RunPage page = page_of_a_run();
  page.epochs = {{.epoch = 1, .training_loss = 2.5, .validation_loss = 2},
                 {.epoch = 2,
                  .training_loss = 1.5,
                  .validation_loss = 1,
                  .further = {{"training_reference_loss", 1.25}}}};
  page.written = "1\tonce\tupon\n";
  CHECK(run_page_text(page).find("\n## epochs\n\n```\n"
                                 "epoch  training loss  validation loss  perplexity\n"
                                 "-----  -------------  ---------------  ----------\n"
                                 "    1         2.5000           2.0000        7.39\n"
                                 "    2         1.5000           1.0000        2.72\n```\n"
                                 "\n## written after each epoch\n\n```\n1\tonce\tupon\n```\n") !=
        std::string::npos);
  page.has_padded_loss = true;
  CHECK(run_page_text(page).find("    1         2.5000                -           2.0000        7.39\n"
                                 "    2         1.5000           1.2500           1.0000        2.72\n") !=
        std::string::npos);
}

TEST_CASE(
    "the test of a translator: without sources that were learned, and the sentences that have a reference") {
  RunPage page = page_of_a_run();
  page.test_table = "loss  1\n";
  TranslationTest& test = page.translation.emplace();
  test.texts = {{"a", "b"}, {"x", "y"}, {"X", "y"}};
  test.standardized = {"x", "y"};
  std::string text = run_page_text(page);
  CHECK(
      text.find(
          "\n```\nloss  1\n```\n\nexactly right: 2 of 2 (100.0 %)\n"
          "\ntest sources that also stand in training: 0 of 2\n\n## samples: test lines, spread evenly\n") !=
      std::string::npos);
  CHECK(text.find("## the same test") == std::string::npos);
  test.known = {"a"};
  test.decoded = {{"greedy", {"x", "y"}}};
  test.sentences = {{"s"}, {"S"}, {""}};
  test.sentences_title = "the sentences";
  text = run_page_text(page);
  CHECK(text.find("\n## test without the sources that also stand in training: 1 sentence\n") !=
        std::string::npos);
  CHECK(text.find("\n## the same test\n") != std::string::npos);
  CHECK(text.find("samples: test lines") != std::string::npos);  // no sentence has a reference
  test.sentences.references = {"R"};
  test.known = {"a", "b"};
  text = run_page_text(page);
  CHECK(text.find("\ntest sources that also stand in training: 2 of 2\n") != std::string::npos);
  CHECK(text.find("\n## samples: the sentences\n\n```\nsource       s\nreference    R\ntranslation  S\n") !=
        std::string::npos);
}

TEST_CASE("the test of a model that summarizes") {
  RunPage page = page_of_a_run();
  page.summary = SummaryTest{{{"One. Two"}, {"one"}, {"one"}}, {"two"}, {"One. Two"}};
  const std::string text = run_page_text(page);
  CHECK(text.find("\n## test: 1 summary\n") != std::string::npos);
  CHECK(
      text.find("\nexactly right: 1 of 1 (100.0 %)\n\ntest sources that also stand in training: 1 of 1\n") !=
      std::string::npos);
  CHECK(text.find("\nsummary      one\n") != std::string::npos);
}
