#include "training/mean.hpp"

#include <algorithm>
#include <cstdint>

#include "support/parallel.hpp"

namespace headwater {

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
