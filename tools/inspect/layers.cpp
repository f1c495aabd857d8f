// The layers of a model.
#include <cmath>

#include "reports/layer_table.hpp"
#include "support/json.hpp"
#include "tools/inspect/inspect.hpp"

namespace headwater::inspect {

namespace {

// A whole number of JSON as long as 64 bits hold it.
Json whole(double count) {
  const double rounded = std::round(count);
  return rounded < 0x1p63 ? Json(static_cast<std::int64_t>(rounded)) : Json(rounded);
}

void write_layers_json(const std::vector<LayerSummary>& layers, cli::LineWriter& out) {
  std::int64_t parameters = 0;
  double flops = 0;
  const auto line = [&](std::string_view name, std::string_view shape, std::int64_t count, double work) {
    Json json;
    json.set("version", 1)
        .set("layer", name)
        .set("output_shape", shape)
        .set("parameters", count)
        .set("flops", whole(work));
    out.line(json.dump());
  };
  for (const LayerSummary& layer : layers) {
    line(layer.name, layer.output_shape, layer.parameters, layer.flops);
    parameters += layer.parameters;
    flops += layer.flops;
  }
  line("total", "", parameters, flops);
}

}  // namespace

void write_layers(const ModelDescription& model, bool is_json, cli::LineWriter& out) {
  if (is_json) {
    write_layers_json(model.layers, out);
    return;
  }
  out.text(layer_table(model));
}

}  // namespace headwater::inspect
