#include "training/weight_average.hpp"

#include <algorithm>

#include "support/parallel.hpp"
#include "tensor/kernels/optimizer/optimizer.hpp"

namespace headwater {

WeightAverage::WeightAverage(double decay, Parameters& parameters, const Optimizer& optimizer)
    : min_share_(static_cast<float>(1 - decay)),
      parameters_(parameters),
      average_(make_flat_array(parameters.size())) {
  std::copy(parameters.values().begin(), parameters.values().end(), average_.get());
  for (const auto& p : parameters.all()) {
    const bool has_rows = p->is_table && optimizer.is_sparse();
    current_.emplace_back(has_rows ? static_cast<std::size_t>(p->value.rows) : 1, 0);
  }
}

template <class RowAt>
void WeightAverage::take_in(std::size_t place, std::size_t count, const RowAt& row_at, std::int64_t last) {
  const Parameter& p = *parameters_.all()[place];
  std::vector<std::int64_t>& current = current_[place];
  const Index part = p.size() / static_cast<Index>(current.size());
  constexpr std::size_t kRows = 64;  // a task's share of a table
  parallel_for(static_cast<std::int64_t>((count + kRows - 1) / kRows), [&](std::int64_t task) {
    const std::size_t begin = static_cast<std::size_t>(task) * kRows;
    for (std::size_t i = begin; i < std::min(count, begin + kRows); ++i) {
      const std::size_t row = row_at(i);
      const Index offset = static_cast<Index>(row) * part;
      kernels::moving_average(min_share_, part, p.value.data + offset, average_.get() + p.offset + offset,
                              current[row] + 1, last + 1);
      current[row] = last;
    }
  });
}

void WeightAverage::before_step(std::int64_t step) {
  for (std::size_t place = 0; place < current_.size(); ++place) {
    const Gradient& gradient = parameters_.all()[place]->gradient;
    const std::size_t count = current_[place].size();
    if (count == 1 || gradient.state == Gradient::State::dense) {
      take_in(
          place, count, [](std::size_t i) { return i; }, step - 1);
    } else {
      take_in(
          place, gradient.rows.size(),
          [&](std::size_t i) { return static_cast<std::size_t>(gradient.rows[i]); }, step - 1);
    }
  }
}

void WeightAverage::flush(std::int64_t step) {
  for (std::size_t place = 0; place < current_.size(); ++place)
    take_in(
        place, current_[place].size(), [](std::size_t i) { return i; }, step);
}

void WeightAverage::exchange() {
  const std::span<Real> values = parameters_.values();
  std::swap_ranges(values.begin(), values.end(), average_.get());
}

Optimizer::State WeightAverage::state() {
  return {"weights", {average_.get(), static_cast<std::size_t>(parameters_.size())}};
}

void WeightAverage::resumed_at(std::int64_t step) {
  for (std::vector<std::int64_t>& current : current_) std::fill(current.begin(), current.end(), step);
}

}  // namespace headwater
