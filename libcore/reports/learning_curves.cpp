#include "reports/learning_curves.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include "support/error.hpp"
#include "support/split.hpp"

namespace headwater {
namespace {

// NaN for an empty field, and for what is too large to draw.
double number_of(std::string_view field, std::string_view name, const std::string& place) {
  if (field.empty()) return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc() || end != field.data() + field.size())
    throw Error(place + ": " + quote(field) + " in column " + quote(name) + " is not a number");
  return std::abs(value) <= 1e100 ? value : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

LearningCurve parse_learning_curve(std::string_view log, std::string_view where, std::string name) {
  log = log.substr(0, log.rfind('\n') + 1);  // npos + 1 is 0
  LearningCurve curve{std::move(name), {}};
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
    if (std::isnan(value[2])) continue;
    if (!(value[0] >= 1 && value[0] <= 1e9))
      throw Error(place + ": epoch " + quote(fields[columns.at("epoch")]) + " is not in 1 .. 1000000000");
    const auto further = [&](std::string_view column) {
      const auto at = columns.find(column);
      return number_of(at == columns.end() ? "" : fields[at->second], column, place);
    };
    curve.points.push_back({static_cast<std::int64_t>(value[0]), value[1], value[2], value[3],
                            further("validation_top5_accuracy"), further("validation_bleu")});
  }
  if (curve.points.empty())
    throw Error(std::string(where) + ": no epoch has ended yet (train a while longer)");
  return curve;
}

std::vector<double> axis_ticks(double least, double most, int max_ticks) {
  const double magnitude = std::max(std::abs(least), std::abs(most));
  if (!(most - least > 1e-9 * magnitude)) {  // as good as one value: some room around it
    const double room = magnitude == 0 ? 1 : magnitude / 10;
    least -= room;
    most += room;
  }
  const double rough = (most - least) / max_ticks;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double digit : {5.0, 2.0, 1.0}) {
    // Floor and ceiling add up to two steps to the range.
    const double count =
        std::ceil(most / (digit * power) - 1e-9) - std::floor(least / (digit * power) + 1e-9);
    if (count <= max_ticks) step = digit * power;
  }
  const double first = std::floor(least / step + 1e-9), last = std::ceil(most / step - 1e-9);
  std::vector<double> ticks;
  for (int i = 0; i <= static_cast<int>(last - first); ++i) ticks.push_back((first + i) * step);
  return ticks;
}

}  // namespace headwater
