// Every metric by its name, in the order of tables and pages: those of models here, those of classifiers in
// class_metrics.hpp, those of texts in text_metrics.hpp. A new one is a row there (libcore/ADDING.md).
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "metrics/metric.hpp"

namespace headwater {

std::span<const Metric* const> all_metrics();
// Null for a word that is none.
const Metric* find_metric(std::string_view name);
const Metric& loss_metric();
const Metric& accuracy_metric();

// The names of the metrics of these, in the order of the registry: all, or those that are measured after each
// epoch.
std::vector<std::string_view> metric_names(std::initializer_list<MetricOf> of);
std::vector<std::string_view> validation_metric_names(std::initializer_list<MetricOf> of);

}  // namespace headwater
