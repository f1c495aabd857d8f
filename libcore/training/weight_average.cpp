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

EpochAverage::EpochAverage(std::int64_t epochs, Parameters& parameters)
    : parameters_(parameters), mean_(make_flat_array(parameters.size())) {
  for (std::int64_t i = 0; i < epochs; ++i) ends_.push_back(make_flat_array(parameters.size()));
}

void EpochAverage::end_epoch(std::int64_t epoch) {
  const std::span<const Real> values = parameters_.values();
  const auto size = static_cast<std::int64_t>(ends_.size());
  std::copy(values.begin(), values.end(), ends_[epoch % size].get());
  ended_ = epoch + 1;
  std::vector<std::span<const Real>> last;  // from the oldest on
  for (std::int64_t e = std::max<std::int64_t>(0, ended_ - size); e < ended_; ++e)
    last.emplace_back(ends_[e % size].get(), values.size());
  mean_of(last, {mean_.get(), values.size()});
}

void EpochAverage::exchange() {
  const std::span<Real> values = parameters_.values();
  if (ended_ == 0 && !is_exchanged_) std::copy(values.begin(), values.end(), mean_.get());
  std::swap_ranges(values.begin(), values.end(), mean_.get());
  is_exchanged_ = !is_exchanged_;
}

void EpochAverage::resume_after(std::int64_t epochs) {
  ended_ = epochs;
  is_exchanged_ = true;
  exchange();
}

std::vector<Optimizer::State> EpochAverage::states() {
  const std::size_t size = parameters_.size();
  std::vector<Optimizer::State> states{{"weights", {mean_.get(), size}}};
  for (std::size_t i = 0; i < ends_.size(); ++i)
    states.push_back({"epoch_end_" + std::to_string(i), {ends_[i].get(), size}});
  return states;
}

void mean_of(std::span<const std::span<const Real>> values, std::span<Real> mean) {
  constexpr std::size_t kNumbersATask = 4096;
  const auto count = static_cast<double>(values.size());
  parallel_for(static_cast<std::int64_t>((mean.size() + kNumbersATask - 1) / kNumbersATask),
               [&](std::int64_t task) {
                 const std::size_t begin = static_cast<std::size_t>(task) * kNumbersATask;
                 for (std::size_t j = begin; j < std::min(mean.size(), begin + kNumbersATask); ++j) {
                   double sum = 0;
                   for (const std::span<const Real> of_one : values) sum += static_cast<double>(of_one[j]);
                   mean[j] = static_cast<Real>(sum / count);
                 }
               });
}

}  // namespace headwater
