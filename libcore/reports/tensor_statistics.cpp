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
    sum += x;
    ++s.finite;
  }
  if (s.finite == 0) return s;
  s.mean = sum / static_cast<double>(s.finite);
  double squares = 0;
  for (const double x : numbers) {
    if (std::isfinite(x)) squares += (x - s.mean) * (x - s.mean);
  }
  s.std = std::sqrt(squares / static_cast<double>(s.finite));
  return s;
}

TensorStatistics statistics_of(const TensorView& tensor) {
  std::vector<double> numbers(static_cast<std::size_t>(tensor.elements()));
  read_numbers(tensor, std::span<double>(numbers));
  return statistics_of(numbers);
}

}  // namespace headwater
