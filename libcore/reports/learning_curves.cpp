#include "reports/learning_curves.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "reports/run_table.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/split.hpp"

namespace headwater {

namespace {

// NaN for an empty field, and for what is too large to draw.
double number_of(std::string_view field, std::string_view name, const std::string& place) {
  if (field.empty()) return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  if (!parse_number(field, value))
    throw Error(place + ": " + quote(field) + " in column " + quote(name) + " is not a number");
  return std::abs(value) <= 1e100 ? value : std::numeric_limits<double>::quiet_NaN();
}

constexpr std::string_view kValidation = "validation_", kTraining = "training_", kReference = "reference_";

// Whether it is a name that a run would give a column.
bool is_plain(std::string_view column) {
  return std::all_of(column.begin(), column.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '+' || c == '-';
  });
}

// A row as the log has it.
struct LogRow {
  std::int64_t epoch = 0;
  // The mean loss of the epoch so far, and of how many predictions it is; in a log without these, tokens.
  double step = 0, loss = 0, predictions = 0;
  bool ends_epoch = false;
};

// The mean loss between rows, where an epoch has several.
std::vector<LearningCurve::Step> steps_of(const std::vector<LogRow>& rows) {
  constexpr std::size_t kMostPoints = 400;
  const bool has_more =
      std::any_of(rows.begin(), rows.end(), [](const LogRow& row) { return !row.ends_epoch; });
  if (!has_more) return {};
  std::map<std::int64_t, double> end_of;  // steps
  for (const LogRow& row : rows) {
    if (row.ends_epoch) end_of[row.epoch] = row.step;
  }
  std::vector<LearningCurve::Step> steps;
  const std::size_t together = (rows.size() + kMostPoints - 1) / kMostPoints;
  double size = 0;  // steps of the last epoch that has ended
  double sum = 0, weight = 0;
  LogRow previous;
  // A row may come right after the one that ends an epoch. A point of its own would show one batch among
  // means of many, so it counts with the next row, and the last one with the point before it.
  double most = 0, last_weight = 0;
  const auto add_point = [&](const LogRow& row, double begin) {
    const double epoch = static_cast<double>(row.epoch - 1) + (row.step - begin) / size;
    if (2 * weight < most && !steps.empty()) {
      LearningCurve::Step& last = steps.back();
      last = {epoch, (last.training_loss * last_weight + sum) / (last_weight + weight)};
    } else {
      steps.push_back({epoch, sum / weight});
    }
    most = std::max(most, weight);
    last_weight = weight;
    sum = weight = 0;
  };
  double begin = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const LogRow& row = rows[i];
    if (row.epoch != previous.epoch) previous = {.epoch = row.epoch};
    const auto end = end_of.find(row.epoch), last = end_of.find(row.epoch - 1);
    const double first = last == end_of.end() ? 0 : last->second;
    if (end != end_of.end() && (row.epoch == 1 || last != end_of.end())) size = end->second - first;
    const double more = row.predictions - previous.predictions;
    if (!(size > 0) || !(more > 0) || !std::isfinite(row.loss)) continue;
    sum += row.loss * row.predictions - previous.loss * previous.predictions;
    weight += more;
    previous = row;
    begin = first;
    if ((i + 1) % together == 0 && 2 * weight >= most) add_point(row, begin);
  }
  if (weight > 0) add_point(previous, begin);
  return steps;
}

}  // namespace

LearningCurve parse_learning_curve(std::string_view log, std::string_view where, std::string name) {
  log = log.substr(0, log.rfind('\n') + 1);  // npos + 1 is 0
  LearningCurve curve{std::move(name), {}};
  std::vector<LogRow> rows;
  std::vector<double> tokens;
  std::map<std::string_view, std::size_t> columns;
  std::size_t column_count = 0;
  constexpr std::array<std::string_view, 4> kNeeded = {"epoch", "loss", "validation_loss",
                                                       "validation_accuracy"};
  for (std::size_t number = 1; !log.empty(); ++number) {
    const std::string_view line = log.substr(0, log.find('\n'));
    log.remove_prefix(line.size() + 1);
    const std::string place = std::string(where) + ":" + std::to_string(number);
    const std::vector<std::string_view> fields = split(line, ',');
    if (number == 1) {
      column_count = fields.size();
      for (std::size_t i = 0; i < fields.size(); ++i) columns.emplace(fields[i], i);
      for (const std::string_view needed : kNeeded) {
        if (columns.contains(needed)) continue;
        throw Error(place + ": no column " + quote(needed) + " (name the log.csv of a run, or its folder)");
      }
      continue;
    }
    if (fields.size() != column_count) {
      throw Error(place + ": " + std::to_string(fields.size()) + " fields where the first line has " +
                  std::to_string(column_count));
    }
    std::array<double, kNeeded.size()> value{};
    for (std::size_t i = 0; i < kNeeded.size(); ++i)
      value[i] = number_of(fields[columns.at(kNeeded[i])], kNeeded[i], place);
    const bool ends_epoch = !std::isnan(value[2]);
    const bool is_epoch = value[0] >= 1 && value[0] <= 1e9;
    if (!is_epoch && ends_epoch)
      throw Error(place + ": epoch " + quote(fields[columns.at("epoch")]) + " is not in 1 .. 1000000000");
    const auto further = [&](std::string_view column) {
      const auto at = columns.find(column);
      return number_of(at == columns.end() ? "" : fields[at->second], column, place);
    };
    if (is_epoch) {
      rows.push_back(
          {static_cast<std::int64_t>(value[0]), further("step"), value[1], further("predicted"), ends_epoch});
      tokens.push_back(further("tokens"));
    }
    if (!ends_epoch) continue;
    LearningCurve::Point& point = curve.points.emplace_back(
        LearningCurve::Point{static_cast<std::int64_t>(value[0]), value[1], value[2]});
    for (const auto& [column, at] : columns) {
      if (column.starts_with(kValidation) && column != loss_metric().column && is_plain(column))
        point.figures.emplace(column.substr(kValidation.size()), number_of(fields[at], column, place));
    }
    point.further.emplace("training_accuracy", further("accuracy"));
    for (const char* column : {"reference_loss", "reference_accuracy", "training_reference_loss",
                               "training_padded_loss", "training_padded_accuracy"})
      point.further.emplace(column, further(column));
  }
  if (curve.points.empty())
    throw Error(
        std::string(where) +
        ": no epoch has ended with a validation (train longer; without validation there is no curve)");
  // A run that an earlier version began has rows that do not say it.
  const bool has_predictions =
      std::all_of(rows.begin(), rows.end(), [](const LogRow& row) { return !std::isnan(row.predictions); });
  for (std::size_t i = 0; i < rows.size() && !has_predictions; ++i) rows[i].predictions = tokens[i];
  curve.steps = steps_of(rows);
  return curve;
}

double LearningCurve::Point::figure(std::string_view metric) const {
  if (metric == loss_metric().name) return validation_loss;
  for (const auto& all : {std::cref(figures), std::cref(further)}) {
    const auto found = all.get().find(metric);
    if (found != all.get().end()) return found->second;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

void set_best_metric(LearningCurve& curve, std::string metric) {
  curve.best_metric = std::move(metric);
  if (curve.best_metric != "perplexity") return;
  for (LearningCurve::Point& point : curve.points)
    point.figures.insert_or_assign("perplexity", std::exp(point.validation_loss));
}

CurveFigure loss_curve() { return {std::string(loss_metric().name), "loss", 4, loss_metric().best}; }

std::vector<CurveFigure> curve_figures(std::span<const LearningCurve> curves) {
  std::set<std::string, std::less<>> there;  // a number somewhere
  for (const LearningCurve& curve : curves) {
    for (const LearningCurve::Point& point : curve.points) {
      for (const auto& [name, value] : point.figures) {
        if (std::isfinite(value)) there.insert(name);
      }
    }
  }
  std::vector<CurveFigure> figures;
  for (const Metric* metric : all_metrics()) {
    const auto found = there.find(metric->name);
    if (found == there.end()) continue;
    figures.push_back({*found, std::string(metric->heading), metric->digits, metric->best});
    there.erase(found);
  }
  for (const std::string& name : there) {
    CurveFigure& figure = figures.emplace_back(CurveFigure{name, name});
    figure.is_of_training = name.starts_with(kTraining);
    if (figure.is_of_training) figure.heading.erase(0, kTraining.size());
    if (const std::size_t at = figure.heading.find(kReference); at == 0)
      figure.heading = figure.heading.substr(kReference.size()) + ", padded";
    std::replace(figure.heading.begin(), figure.heading.end(), '_', ' ');
    if (name.ends_with("loss")) figure.best = Metric::Best::lowest;
  }
  return figures;
}

const LearningCurve::Point* best_point(const LearningCurve& curve, const CurveFigure& figure) {
  const double sign = figure.best == Metric::Best::highest ? 1 : -1;
  const LearningCurve::Point* found = nullptr;
  for (const LearningCurve::Point& point : curve.points) {
    const double value = point.figure(figure.name);
    if (!std::isfinite(value)) continue;
    if (found == nullptr || sign * value > sign * found->figure(figure.name)) found = &point;
  }
  return found;
}

std::vector<std::string> names_of_runs(const std::vector<std::string>& names,
                                       const std::vector<std::optional<Recipe>>& recipes) {
  constexpr std::size_t kMostKeys = 4;
  const bool are_known =
      std::all_of(recipes.begin(), recipes.end(), [](const auto& r) { return r.has_value(); });
  const DifferingKeys differing = are_known ? differing_keys(recipes) : DifferingKeys();
  if (differing.keys.empty() || differing.keys.size() > kMostKeys) return names;
  std::vector<std::string> told;
  for (const auto& values : differing.values) {
    std::string name;
    for (std::size_t key = 0; key < values.size(); ++key)
      name += (name.empty() ? "" : ", ") + differing.short_name(key) + " " + values[key].value_or("none");
    if (std::find(told.begin(), told.end(), name) != told.end()) return names;
    told.push_back(std::move(name));
  }
  return told;
}

std::vector<Json> learning_curves_json(std::span<const LearningCurve> curves) {
  std::vector<Json> all;
  const auto set = [](Json& json, const std::string& name, double value) {
    if (std::isfinite(value)) json.set(name, value);
  };
  for (const LearningCurve& curve : curves) {
    Json& json = all.emplace_back();
    json.set("version", 1).set("run", curve.name);
    if (!curve.best_metric.empty()) json.set("best_metric", curve.best_metric);
    Json best;
    const std::vector<CurveFigure> figures = curve_figures(std::span(&curve, 1));
    const auto add_best = [&](const CurveFigure& figure) {
      const LearningCurve::Point* const point = best_point(curve, figure);
      if (point == nullptr) return;
      Json entry;
      entry.set("value", point->figure(figure.name)).set("epoch", point->epoch);
      best.set(figure.name, std::move(entry));
    };
    add_best(loss_curve());
    for (const CurveFigure& figure : figures) add_best(figure);
    json.set("best", std::move(best));
    Json::Array epochs, steps;
    for (const LearningCurve::Point& point : curve.points) {
      Json entry;
      entry.set("epoch", point.epoch);
      set(entry, "training_loss", point.training_loss);
      set(entry, "validation_loss", point.validation_loss);
      for (const CurveFigure& figure : figures)
        set(entry, std::string(kValidation) + figure.name, point.figure(figure.name));
      epochs.push_back(std::move(entry));
    }
    for (const LearningCurve::Step& step : curve.steps) {
      Json entry;
      entry.set("epoch", step.epoch).set("training_loss", step.training_loss);
      steps.push_back(std::move(entry));
    }
    json.set("epochs", std::move(epochs));
    if (!steps.empty()) json.set("steps", std::move(steps));
  }
  return all;
}

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

void set_figure(LearningCurve::Point& point, std::string_view name, double value) {
  constexpr std::string_view kOfValidation = "validation_";
  if (name == "training_loss") {
    point.training_loss = value;
  } else if (name == loss_metric().column) {
    point.validation_loss = value;
  } else {
    if (name.starts_with(kOfValidation)) name.remove_prefix(kOfValidation.size());
    point.figures.emplace(name, value);
  }
}

LearningCurve& curve_of(std::vector<LearningCurve>& curves, std::string_view name) {
  const auto found =
      std::ranges::find_if(curves, [&](const LearningCurve& curve) { return curve.name == name; });
  if (found != curves.end()) return *found;
  curves.push_back({.name = std::string(name), .points = {}, .is_of_source = true});
  return curves.back();
}

}  // namespace

std::vector<LearningCurve> parse_source_curves(std::string_view csv, std::string_view where) {
  std::vector<LearningCurve> curves;
  std::vector<std::string_view> header;
  std::size_t number = 0;
  if (!csv.empty() && csv.back() != '\n')
    throw Error(std::string(where) + ":" + std::to_string(1 + std::ranges::count(csv, '\n')) +
                ": ends inside a line (bring the file back from a copy)");
  for (const std::string_view line : split(csv, '\n')) {
    const std::string place = std::string(where) + ":" + std::to_string(++number);
    if (line.empty() || line.starts_with('#')) continue;
    const std::vector<std::string_view> fields = split(line, ',');
    if (header.empty()) {
      header = fields;
      if (header.size() < 3 || header[0] != "curve" || header[1] != "epoch")
        throw Error(place + ": the columns are curve, epoch and figures (write them into the first line)");
      continue;
    }
    if (fields.size() != header.size())
      throw Error(place + ": " + counted(std::ssize(fields), "field") + " where the first line has " +
                  std::to_string(header.size()));
    const auto number_of = [&](std::size_t column) {
      double value = kNone;
      if (!fields[column].empty() && !parse_number(fields[column], value))
        throw Error(place + ": " + quote(fields[column]) + " in column " + quote(header[column]) +
                    " is not a number");
      return value;
    };
    const double epoch = fields[1].empty() ? 0 : number_of(1);
    if (!fields[1].empty() && !(epoch >= 1 && epoch <= 1e9))
      throw Error(place + ": epoch " + quote(fields[1]) + " is not in 1 .. 1000000000");
    LearningCurve::Point& point =
        curve_of(curves, fields[0])
            .points.emplace_back(LearningCurve::Point{
                .epoch = static_cast<std::int64_t>(epoch), .training_loss = kNone, .validation_loss = kNone});
    for (std::size_t column = 2; column < header.size(); ++column)
      set_figure(point, header[column], number_of(column));
  }
  return curves;
}

}  // namespace headwater
