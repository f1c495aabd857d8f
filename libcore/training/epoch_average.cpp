#include "training/epoch_average.hpp"

#include <algorithm>

#include "training/mean.hpp"

namespace headwater {

EpochAverage::EpochAverage(std::int64_t epochs, Parameters& parameters)
    : parameters_(parameters), mean_(make_flat_array(parameters.size())) {
  for (std::int64_t i = 0; i < epochs; ++i) ends_.push_back(make_flat_array(parameters.size()));
}

void EpochAverage::end_epoch(std::int64_t epoch) {
  const std::span<const Real> values = parameters_.values();
  const auto size = static_cast<std::int64_t>(ends_.size());
  std::copy(values.begin(), values.end(), ends_[static_cast<std::size_t>(epoch % size)].get());
  ended_ = epoch + 1;
  std::vector<std::span<const Real>> last;  // from the oldest on
  for (std::int64_t e = std::max<std::int64_t>(0, ended_ - size); e < ended_; ++e)
    last.emplace_back(ends_[static_cast<std::size_t>(e % size)].get(), values.size());
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
  const auto size = static_cast<std::size_t>(parameters_.size());
  std::vector<Optimizer::State> states{{"weights", {mean_.get(), size}}};
  for (std::size_t i = 0; i < ends_.size(); ++i)
    states.push_back({"epoch_end_" + std::to_string(i), {ends_[i].get(), size}});
  return states;
}

}  // namespace headwater
