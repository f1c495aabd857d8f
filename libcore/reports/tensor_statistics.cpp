#include "reports/tensor_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace headwater {

TensorStatistics statistics_of(std::span<const double> numbers) {
  TensorStatistics s;
  double sum = 0;
  for (const double x : numbers) {
    if (!std::isfinite(x)) {
      ++s.not_finite;
      continue;
    }
    s.min = s.finite == 0 ? x : std::min(s.min, x);
    s.max = s.finite == 0 ? x : std::max(s.max, x);
    ++s.finite;
  }
  if (s.finite == 0) return s;
  // Shares of the largest number, whose squares and sums do not overflow; 1 where nothing could.
  constexpr double kLarge = 1e100;
  const double most = std::max(std::abs(s.min), std::abs(s.max)), unit = most > kLarge ? most : 1;
  for (const double x : numbers) {
    if (std::isfinite(x)) sum += x / unit;
  }
  const double mean = sum / static_cast<double>(s.finite);
  double squares = 0;
  for (const double x : numbers) {
    if (std::isfinite(x)) squares += (x / unit - mean) * (x / unit - mean);
  }
  s.mean = mean * unit;
  s.std = std::sqrt(squares / static_cast<double>(s.finite)) * unit;
  return s;
}

TensorStatistics statistics_of(const TensorView& tensor) {
  std::vector<double> numbers(static_cast<std::size_t>(tensor.elements()));
  read_numbers(tensor, std::span<double>(numbers));
  return statistics_of(numbers);
}

}  // namespace headwater
