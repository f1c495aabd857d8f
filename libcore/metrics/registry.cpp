#include "metrics/registry.hpp"

#include <algorithm>

#include "metrics/class_metrics.hpp"
#include "metrics/text_metrics.hpp"

namespace headwater {

namespace {

constexpr Metric kModelMetrics[] = {
    {.name = "loss",
     .heading = "loss",
     .meaning = "the mean cross-entropy, in nats",
     .column = "validation_loss",
     .best = Metric::Best::lowest},
    {.name = "accuracy",
     .heading = "accuracy",
     .meaning = "the share of what is predicted right",
     .column = "validation_accuracy"},
    {.name = "perplexity",
     .heading = "perplexity",
     .meaning = "exp(loss): of translators and language models, also of masked ones",
     .column = "validation_loss",
     .of = MetricOf::token_models,
     .best = Metric::Best::lowest,
     .digits = 2},
    {.name = "bits_per_byte",
     .heading = "bits per byte",
     .meaning = "the loss of the texts in bits, by their bytes",
     .column = {},
     .of = MetricOf::language_models,
     .best = Metric::Best::lowest},
    {.name = "bits_per_character",
     .heading = "bits per character",
     .meaning = "the loss of the texts in bits, by their characters",
     .column = {},
     .of = MetricOf::language_models,
     .best = Metric::Best::lowest},
    {.name = "unknown",
     .heading = "unknown tokens",
     .meaning = "the share of tokens that the vocabulary lacks",
     .column = {},
     .of = MetricOf::vocabularies,
     .best = Metric::Best::lowest}};

template <class Wanted>
std::vector<std::string_view> names_where(const Wanted& is_wanted) {
  std::vector<std::string_view> names;
  for (const Metric* metric : all_metrics()) {
    if (is_wanted(*metric)) names.push_back(metric->name);
  }
  return names;
}

bool is_among(const std::vector<MetricOf>& of, const Metric& metric) {
  return std::find(of.begin(), of.end(), metric.of) != of.end();
}

}  // namespace

std::span<const Metric* const> all_metrics() {
  static const std::vector<const Metric*> kAll = [] {
    std::vector<const Metric*> all;
    for (const Metric& metric : kModelMetrics) all.push_back(&metric);
    for (const ClassMetric& metric : class_metrics()) all.push_back(&metric);
    for (const TextMetric& metric : text_metrics()) all.push_back(&metric);
    return all;
  }();
  return kAll;
}

const Metric* find_metric(std::string_view name) {
  const std::span<const Metric* const> all = all_metrics();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Metric* m) { return m->name == name; });
  return found == all.end() ? nullptr : *found;
}

const Metric& loss_metric() { return kModelMetrics[0]; }

const Metric& accuracy_metric() { return kModelMetrics[1]; }

std::vector<std::string_view> metric_names(const std::vector<MetricOf>& of) {
  return names_where([&](const Metric& metric) { return is_among(of, metric); });
}

std::vector<std::string_view> validation_metric_names(const std::vector<MetricOf>& of) {
  return names_where([&](const Metric& metric) { return metric.is_validated() && is_among(of, metric); });
}

}  // namespace headwater
