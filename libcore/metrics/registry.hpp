// Every metric by its name, in the order of tables and pages: those of models here, those of classifiers in
// class_metrics.hpp, those of texts in text_metrics.hpp. A new one is a row there (libcore/ADDING.md).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/json.hpp"

namespace headwater {

// Who has a metric.
enum class MetricOf {
  models,           // every model
  token_models,     // models that predict tokens
  language_models,  // those of them that read texts without a source
  vocabularies,     // models that read texts by a vocabulary
  classifiers,      // of texts and of images
  texts             // texts, whoever wrote them: translations, summaries
};

// What a metric is called, how it is printed and which value is better.
struct Metric {
  enum class Best { lowest, highest };

  std::string_view name;     // of evaluate's --metric, in recipes and in JSON: "macro_f1"
  std::string_view heading;  // as people say it, over a curve: "macro F1"
  std::string_view meaning;  // for the page of all keys: "the mean of the classes' F1: of classifiers"
  // The column of log.csv that orders epochs as the metric does: "validation_" and its name, but for
  // perplexity. With a column it is measured after each epoch, has a curve, and recipes may choose epochs by
  // it and expect a value; empty: evaluate alone computes it.
  std::string_view column;
  MetricOf of = MetricOf::models;
  Best best = Best::highest;
  int digits = 4;  // after the point, in tables

  bool is_validated() const { return !column.empty(); }
  // The lower the better.
  double badness(double value) const { return best == Best::lowest ? value : -value; }
};

// A metric's value, and what is said of it beside.
struct Score {
  double value = 0;
  std::vector<std::string> details = {};  // lines after it in a table
  Json::Object members = {};              // after "metric" and "score" in JSON
  std::string shown_as = {};              // in a table; empty: the metric's name
};

std::span<const Metric* const> all_metrics();
// Null for a word that is none.
const Metric* find_metric(std::string_view name);
const Metric& loss_metric();
const Metric& accuracy_metric();

// The names of the metrics of these, in the order of the registry: all, or those that are measured after each
// epoch.
std::vector<std::string_view> metric_names(const std::vector<MetricOf>& of);
std::vector<std::string_view> validation_metric_names(const std::vector<MetricOf>& of);

}  // namespace headwater
