#include "reports/layer_table.hpp"

#include <algorithm>

#include "pretrained/model_directory.hpp"
#include "reports/table.hpp"
#include "support/numbers.hpp"

namespace headwater {

std::string layer_table(const ModelDescription& model) {
  Table table(
      {{"layer"}, {"output shape"}, {"parameters", Table::Align::right}, {"FLOPs", Table::Align::right}});
  std::int64_t parameters = 0;
  double flops = 0;
  for (const LayerSummary& layer : model.layers) {
    table.add_row(
        {layer.name, layer.output_shape, format_count(layer.parameters), format_large_count(layer.flops)});
    parameters += layer.parameters;
    flops += layer.flops;
  }
  table.add_rule();
  table.add_row({"total", "", format_count(parameters), format_large_count(flops)});
  return table.text() + model.legend + "\n";
}

std::string matrix_table(const Safetensors& weights) {
  Table table({{"tensor"}, {"shape"}, {"numbers", Table::Align::right}, {"share", Table::Align::right}});
  double all = 0;
  const auto numbers_of = [](const TensorView& tensor) {
    std::int64_t numbers = 1;
    for (const std::int64_t side : tensor.shape) numbers *= side;
    return numbers;
  };
  for (const TensorView& tensor : weights.tensors()) all += static_cast<double>(numbers_of(tensor));
  for (const TensorView& tensor : weights.tensors()) {
    const std::int64_t numbers = numbers_of(tensor);
    table.add_row({tensor.name, shape_text(tensor.shape), format_count(numbers),
                   format_fixed(100 * static_cast<double>(numbers) / std::max(all, 1.0), 2) + " %"});
  }
  return table.text();
}

}  // namespace headwater
