#include "layers/packed_weights.hpp"

namespace headwater {

namespace {

// Tables are looked up; a single row is a bias or a norm's.
bool is_weight(const Parameter& p) { return !p.is_table && p.value.rows > 1; }

}  // namespace

PackedWeights::PackedWeights(const Parameters& parameters, const Parameter& output)
    : bounds_(make_flat_array(kernels::logit_bounds_size(output.value.rows, output.value.cols))) {
  Index size = 0;
  for (const auto& p : parameters.all()) {
    if (is_weight(*p)) size += kernels::packed_size(p->value.rows, p->value.cols);
  }
  panels_ = make_flat_array(size);
  Real* place = panels_.get();
  for (const auto& p : parameters.all()) {
    if (!is_weight(*p)) continue;
    by_parameter_.emplace(p.get(), kernels::pack_weight(p->value, place));
    place += kernels::packed_size(p->value.rows, p->value.cols);
  }
  output_.packed = by_parameter_.at(&output);
  output_.bounds = kernels::logit_bounds(output_.packed, bounds_.get());
}

}  // namespace headwater
