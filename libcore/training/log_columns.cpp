#include "training/log_columns.hpp"

#include <utility>

#include "metrics/registry.hpp"
#include "support/name_list.hpp"
#include "support/numbers.hpp"

namespace headwater {

namespace {

using Columns = std::vector<LogColumn>;
using NumberOf = std::function<double(const LossTotals&)>;

// A number of the running epoch's training.
void add_training(Columns& columns, std::string name, NumberOf number) {
  columns.push_back({std::move(name), [number = std::move(number)](const LogMoment& moment) {
                       return format_number(number(moment.state.epoch_totals));
                     }});
}

// A number of the validation, where there was one.
void add_validation(Columns& columns, std::string name, NumberOf number) {
  columns.push_back({std::move(name), [number = std::move(number)](const LogMoment& moment) {
                       const ValidationFigures* const validation = moment.validation;
                       const bool is_there = validation != nullptr && validation->predicted > 0;
                       return is_there ? format_number(number(*validation)) : std::string();
                     }});
}

void add_losses(Columns& columns, std::span<const Loss> losses) {
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const std::string name(losses[i].name);
    const NumberOf loss = [i](const LossTotals& t) { return t.parts[i].mean_loss(); };
    const NumberOf accuracy = [i](const LossTotals& t) { return t.parts[i].accuracy(); };
    add_training(columns, name + "_loss", loss);
    add_validation(columns, "validation_" + name + "_loss", loss);
    if (!losses[i].has_accuracy) continue;
    add_training(columns, name + "_accuracy", accuracy);
    add_validation(columns, "validation_" + name + "_accuracy", accuracy);
  }
}

void add_metrics(Columns& columns, std::span<const Metric* const> metrics) {
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    columns.push_back({std::string(metrics[i]->column), [i](const LogMoment& moment) {
                         const ValidationFigures* const v = moment.validation;
                         const bool is_there = v != nullptr && i < v->figures.size() && v->figures[i];
                         return is_there ? format_number(*v->figures[i]) : std::string();
                       }});
  }
}

}  // namespace

std::vector<LogColumn> log_columns(const Objective& objective) {
  const bool has_one_loss = objective.losses().empty();
  Columns columns{{"step", [](const LogMoment& m) { return std::to_string(m.state.step); }},
                  {"epoch", [](const LogMoment& m) { return std::to_string(m.state.epoch + 1); }},
                  {"tokens", [](const LogMoment& m) { return std::to_string(m.state.epoch_totals.useful); }}};
  add_training(columns, "loss", &LossTotals::mean_loss);
  add_training(columns, "accuracy", &LossTotals::accuracy);
  columns.push_back({"learning_rate", [](const LogMoment& m) { return format_number(m.learning_rate); }});
  columns.push_back({"gradient_norm", [](const LogMoment& m) { return format_number(m.gradient_norm); }});
  add_validation(columns, std::string(loss_metric().column), &LossTotals::mean_loss);
  add_validation(columns, std::string(accuracy_metric().column), &LossTotals::accuracy);
  if (has_one_loss) {
    add_validation(columns, "reference_loss", &LossTotals::reference_loss);
    add_validation(columns, "reference_accuracy", &LossTotals::reference_accuracy);
    add_training(columns, "training_reference_loss", &LossTotals::reference_loss);
  }
  if (objective.counts_batch_positions()) {
    add_training(columns, "training_padded_loss", &LossTotals::padded_loss);
    add_training(columns, "training_padded_accuracy", &LossTotals::padded_accuracy);
  }
  add_losses(columns, objective.losses());
  add_metrics(columns, objective.metrics());
  columns.push_back(
      {"predicted", [](const LogMoment& m) { return std::to_string(m.state.epoch_totals.predicted); }});
  columns.push_back({"seconds", [](const LogMoment& m) { return format_number(m.pace.seconds); }});
  columns.push_back(
      {"tokens_per_second", [](const LogMoment& m) { return format_number(m.pace.tokens_per_second); }});
  columns.push_back(
      {"waiting_share", [](const LogMoment& m) { return format_number(m.pace.waiting_share); }});
  return columns;
}

std::string log_header(const std::vector<LogColumn>& columns) {
  return joined(columns, ",", &LogColumn::name);
}

std::string log_row(const std::vector<LogColumn>& columns, const LogMoment& moment) {
  std::string line;
  for (const LogColumn& column : columns) {
    if (&column != &columns.front()) line += ",";
    line += column.field(moment);
  }
  return line;
}

}  // namespace headwater
