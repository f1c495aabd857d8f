#include <algorithm>
#include <limits>

#include "metrics/registry.hpp"
#include "reports/learning_curves.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/split.hpp"

namespace headwater {

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
