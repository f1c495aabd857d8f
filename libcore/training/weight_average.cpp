#include "training/weight_average.hpp"

#include <algorithm>

#include "support/parallel.hpp"
#include "tensor/kernels.hpp"

namespace headwater {

namespace {

// parallel_for over `count` rows in tasks of 64.
template <class F>
void for_each_row(std::size_t count, const F& body) {
  constexpr std::size_t kRows = 64;
  parallel_for(static_cast<std::int64_t>((count + kRows - 1) / kRows), [&](std::int64_t task) {
    const std::size_t begin = static_cast<std::size_t>(task) * kRows;
    for (std::size_t i = begin; i < std::min(count, begin + kRows); ++i) body(i);
  });
}

}  // namespace

WeightAverage::WeightAverage(double decay, Parameters& parameters, const Optimizer& optimizer)
    : least_share_(static_cast<float>(1 - decay)),
      parameters_(parameters),
      average_(make_flat_array(parameters.size())) {
  std::copy(parameters.values().begin(), parameters.values().end(), average_.get());
  for (const auto& p : parameters.all()) {
    const bool has_rows = p->is_table && optimizer.is_sparse();
    current_.emplace_back(has_rows ? static_cast<std::size_t>(p->value.rows) : 1, 0);
  }
}

void WeightAverage::take_in(const Parameter& p, Index begin, Index count, std::int64_t& current,
                            std::int64_t last) {
  if (current < last) {
    kernels::moving_average(least_share_, count, p.value.data + begin, average_.get() + p.offset + begin,
                            current + 1, last + 1);
  }
  current = last;
}

void WeightAverage::before_step(std::int64_t step) {
  for (std::size_t place = 0; place < current_.size(); ++place) {
    const Parameter& p = *parameters_.all()[place];
    std::vector<std::int64_t>& current = current_[place];
    if (current.size() == 1) {
      take_in(p, 0, p.size(), current.front(), step - 1);
      continue;
    }
    const Index cols = p.value.cols;
    for_each_row(p.touched.size(), [&](std::size_t i) {
      const std::int32_t row = p.touched[i];
      take_in(p, row * cols, cols, current[static_cast<std::size_t>(row)], step - 1);
    });
  }
}

void WeightAverage::flush(std::int64_t step) {
  for (std::size_t place = 0; place < current_.size(); ++place) {
    const Parameter& p = *parameters_.all()[place];
    std::vector<std::int64_t>& current = current_[place];
    if (current.size() == 1) {
      take_in(p, 0, p.size(), current.front(), step);
      continue;
    }
    const Index cols = p.value.cols;
    for_each_row(current.size(), [&](std::size_t row) {
      take_in(p, static_cast<Index>(row) * cols, cols, current[row], step);
    });
  }
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
