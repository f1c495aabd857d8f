#include "metrics/registry.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "metrics/class_metrics.hpp"
#include "metrics/text_metrics.hpp"

using namespace headwater;

TEST_CASE("every metric has a name of its own, a heading, a meaning and the column of its name") {
  std::set<std::string_view> names, columns;
  for (const Metric* metric : all_metrics()) {
    INFO(metric->name);
    CHECK(names.insert(metric->name).second);
    CHECK(find_metric(metric->name) == metric);
    CHECK_FALSE(metric->heading.empty());
    CHECK_FALSE(metric->meaning.empty());
    if (!metric->is_validated() || metric->name == "perplexity") continue;
    CHECK(metric->column == "validation_" + std::string(metric->name));
    CHECK(columns.insert(metric->column).second);
  }
  CHECK(find_metric("perplexity")->column == loss_metric().column);
  CHECK(find_metric("macro_f2") == nullptr);
  CHECK(find_metric("") == nullptr);
}

TEST_CASE("the lower badness is the better value") {
  CHECK(loss_metric().badness(1) < loss_metric().badness(2));
  CHECK(find_metric("perplexity")->badness(1) < find_metric("perplexity")->badness(2));
  CHECK(accuracy_metric().badness(0.75) < accuracy_metric().badness(0.5));
  CHECK(find_metric("bleu")->badness(40) < find_metric("bleu")->badness(30));
}

TEST_CASE("a kind of model has the metrics of every model and its own") {
  using Names = std::vector<std::string_view>;
  CHECK(validation_metric_names({MetricOf::models, MetricOf::token_models}) ==
        Names{"loss", "accuracy", "perplexity"});
  CHECK(metric_names({MetricOf::language_models}) == Names{"bits_per_byte", "bits_per_character"});
  const Names of_texts = validation_metric_names({MetricOf::texts});
  CHECK(std::find(of_texts.begin(), of_texts.end(), "bleu") != of_texts.end());
  CHECK(std::find(of_texts.begin(), of_texts.end(), "rouge1") == of_texts.end());
}

TEST_CASE("a metric of classifiers says of how many classes it is") {
  CHECK(find_class_metric("roc_auc")->is_of(2));
  CHECK_FALSE(find_class_metric("roc_auc")->is_of(3));
  CHECK(find_class_metric("roc_auc")->classes() == "two classes");
  CHECK_FALSE(find_class_metric("top5_accuracy")->is_of(5));
  CHECK(find_class_metric("top5_accuracy")->classes() == "more than 5 classes");
  CHECK(find_class_metric("macro_f1")->is_of(1));
  CHECK(find_class_metric("loss") == nullptr);
}

TEST_CASE("every metric of texts scores all lines and each, and the best texts best") {
  const std::vector<std::string> texts{"the house is red today", "a b c d a b c d"};
  const std::vector<std::vector<std::string>> references{texts};
  const TextMetricSettings settings;
  ScoredTexts scored(texts, references, settings);
  for (const TextMetric& metric : text_metrics()) {
    INFO(metric.name);
    if (metric.name == "aer") continue;  // reads links in place of texts: word_alignment_test.cpp
    const Score score = metric.score(scored);
    const std::vector<double> lines = metric.sentence_scores(scored);
    REQUIRE(lines.size() == texts.size());
    CHECK_FALSE(score.details.empty());
    CHECK(score.members.back().first == "signature");
    if (metric.needs == TextMetricNeeds::nothing) continue;
    const double highest = metric.digits == 2 ? 100 : 1;
    CHECK(score.value == doctest::Approx(highest));
    for (const double line : lines) CHECK(line == doctest::Approx(highest));
  }
  CHECK(find_text_metric("rougeL")->family == "rouge");
  CHECK(find_text_metric("rouge") == nullptr);
}
