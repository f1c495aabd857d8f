// The layers of a model.
#include <cmath>

#include "families/layouts/registry.hpp"
#include "reports/model_tables.hpp"
#include "support/json.hpp"
#include "tools/inspect/inspect.hpp"

namespace headwater::inspect {

namespace {

constexpr const char *kLayer = "layer", *kTensor = "tensor";

// A whole number of JSON as long as 64 bits hold it.
Json whole(double count) {
  const double rounded = std::round(count);
  return rounded < 0x1p63 ? Json(static_cast<std::int64_t>(rounded)) : Json(rounded);
}

void write_layers_json(const std::vector<LayerSummary>& layers, bool shows_matrices, cli::LineWriter& out) {
  std::int64_t parameters = 0;
  double flops = 0;
  const auto line = [&](const char* what, std::string_view name, Json shape, std::int64_t count,
                        double work) {
    Json json;
    json.set("version", 1).set(what, name);
    json.set(what == kTensor ? "shape" : "output_shape", std::move(shape));
    json.set("parameters", count).set("flops", whole(work));
    out.line(json.dump());
  };
  for (const LayerSummary& layer : layers) {
    if (shows_matrices) {
      for (const TensorSummary& tensor : layer.tensors)
        line(kTensor, tensor.name, Json::Array(tensor.shape.begin(), tensor.shape.end()), tensor.parameters,
             tensor.flops);
      if (layer.other_flops() > 0.5)
        line(kTensor, layer.name + ", other products", Json::Array(), 0, layer.other_flops());
    } else {
      line(kLayer, layer.name, layer.output_shape, layer.parameters, layer.flops);
    }
    parameters += layer.parameters;
    flops += layer.flops;
  }
  line(shows_matrices ? kTensor : kLayer, "total", shows_matrices ? Json(Json::Array()) : Json(""),
       parameters, flops);
}

}  // namespace

void write_layers(const ModelDescription& model, const Options& o, cli::LineWriter& out) {
  if (o.is_json) {
    write_layers_json(model.layers, o.shows_matrices, out);
    return;
  }
  out.text(o.shows_matrices ? matrix_table(model) : layer_table(model));
}

void write_layouts(const Family& family, const ModelSection& section, cli::LineWriter& out) {
  for (const std::string& line : fitting_layouts(family, section)) out.line("Export: " + line);
}

}  // namespace headwater::inspect
