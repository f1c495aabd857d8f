#include "reports/model_tables.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "families/model_directory.hpp"
#include "reports/table.hpp"
#include "support/numbers.hpp"

namespace headwater {

namespace {

// With the last row, the sums over all layers, and what the letters mean.
std::string finished(Table table, const ModelDescription& model) {
  std::int64_t parameters = 0;
  double flops = 0;
  for (const LayerSummary& layer : model.layers) {
    parameters += layer.parameters;
    flops += layer.flops;
  }
  table.add_rule();
  table.add_row({"total", "", format_count(parameters), format_large_count(flops)});
  return table.text() + model.legend + "\n";
}

}  // namespace

std::string layer_table(const ModelDescription& model) {
  Table table(
      {{"layer"}, {"output shape"}, {"parameters", Table::Align::right}, {"FLOPs", Table::Align::right}});
  for (const LayerSummary& layer : model.layers) {
    table.add_row(
        {layer.name, layer.output_shape, format_count(layer.parameters), format_large_count(layer.flops)});
  }
  return finished(std::move(table), model);
}

std::string matrix_table(const ModelDescription& model) {
  using Align = Table::Align;
  Table table({{"tensor"}, {"shape"}, {"parameters", Align::right}, {"FLOPs", Align::right}});
  for (const LayerSummary& layer : model.layers) {
    for (const TensorSummary& tensor : layer.tensors)
      table.add_row({tensor.name, shape_text(tensor.shape), format_count(tensor.parameters),
                     format_large_count(tensor.flops)});
    if (layer.other_flops() > 0.5)  // sums of large whole numbers are not exact
      table.add_row({layer.name + ", other products", "", "", format_large_count(layer.other_flops())});
  }
  return finished(std::move(table), model);
}

TensorStatistics statistics_of(std::span<const double> numbers) {
  TensorStatistics s;
  double sum = 0;
  for (const double x : numbers) {
    if (!std::isfinite(x)) {
      ++s.not_finite;
      continue;
    }
    s.min = s.finite == 0 ? x : std::min(s.min, x);
    s.max = s.finite == 0 ? x : std::max(s.max, x);
    ++s.finite;
  }
  if (s.finite == 0) return s;
  // Shares of the largest number, whose squares and sums do not overflow; 1 where nothing could.
  constexpr double kLarge = 1e100;
  const double most = std::max(std::abs(s.min), std::abs(s.max)), unit = most > kLarge ? most : 1;
  for (const double x : numbers) {
    if (std::isfinite(x)) sum += x / unit;
  }
  const double mean = sum / static_cast<double>(s.finite);
  double squares = 0;
  for (const double x : numbers) {
    if (std::isfinite(x)) squares += (x / unit - mean) * (x / unit - mean);
  }
  s.mean = mean * unit;
  s.std = std::sqrt(squares / static_cast<double>(s.finite)) * unit;
  return s;
}

TensorStatistics statistics_of(const TensorView& tensor) {
  std::vector<double> numbers(tensor.elements());
  read_numbers(tensor, std::span<double>(numbers));
  return statistics_of(numbers);
}

}  // namespace headwater
