#include "models/layer_summary.hpp"

namespace headwater {

LayerSummary layer_summary(const Parameters& parameters, const std::string& name, std::string output_shape,
                           double flops, Index rows) {
  LayerSummary layer{name, std::move(output_shape), 0, flops};
  for (const auto& p : parameters.all()) {
    if (!p->name.starts_with(name + ".")) continue;
    const bool is_matrix = p->name.ends_with(".weight") && p->shape.size() > 1;
    layer.parameters += p->size();
    layer.tensors.push_back({p->name,
                             {p->shape.begin(), p->shape.end()},
                             p->size(),
                             is_matrix ? 2 * static_cast<double>(p->size()) * static_cast<double>(rows) : 0});
  }
  return layer;
}

}  // namespace headwater
