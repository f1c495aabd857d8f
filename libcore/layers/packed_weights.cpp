#include "layers/packed_weights.hpp"

namespace headwater {

namespace {

// A single row is a bias or a norm's; tables are looked up, and that of a tied output layer is packed apart.
bool is_weight(const Parameter& p) { return !p.is_table && p.value.rows > 1; }

Index size_of_all(const Parameters& parameters, const OutputLayer& output) {
  Index size = output.is_tied() ? kernels::packed_size(output.inputs(), output.outputs()) : 0;
  for (const auto& p : parameters.all()) {
    if (is_weight(*p)) size += kernels::packed_size(p->value.rows, p->value.cols);
  }
  return size;
}

}  // namespace

PackedWeights::PackedWeights(const Parameters& parameters, const OutputLayer& output)
    : size_(size_of_all(parameters, output)),
      panels_(make_flat_array(size_)),
      bounds_(make_flat_array(kernels::logit_bounds_size(output.inputs(), output.outputs()))) {
  Real* place = panels_.get();
  for (const auto& p : parameters.all()) {
    if (!is_weight(*p)) continue;
    by_parameter_.emplace(p.get(), kernels::pack_weight(p->value, place));
    place += kernels::packed_size(p->value.rows, p->value.cols);
  }
  if (output.is_tied())
    by_parameter_.emplace(&output.weight(), kernels::pack_weight_transposed(output.weight().value, place));
  output_.packed = by_parameter_.at(&output.weight());
  output_.bounds = kernels::logit_bounds(output_.packed, bounds_.get());
}

}  // namespace headwater
