#include "reports/model_tables.hpp"

#include <doctest/doctest.h>
#include <limits>
#include <vector>

using namespace headwater;

TEST_CASE("statistics leave out what is not finite, and count it") {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> numbers = {-2,       infinity, 1, 4, std::numeric_limits<double>::quiet_NaN(),
                                       -infinity};
  const TensorStatistics s = statistics_of(numbers);
  CHECK(s.finite == 3);
  CHECK(s.not_finite == 3);
  CHECK(s.min == -2);
  CHECK(s.max == 4);
  CHECK(s.mean == 1);
  CHECK(s.std == doctest::Approx(2.449489743));
}

TEST_CASE("statistics of nothing are zero") {
  const TensorStatistics s = statistics_of(std::span<const double>{});
  CHECK(s.finite == 0);
  CHECK(s.mean == 0);
}

TEST_CASE("statistics of a tensor as it lies in a file") {
  const std::vector<float> values = {0.5F, -0.5F, 1.5F, -1.5F};
  const TensorStatistics s = statistics_of(float_tensor("w", {2, 2}, values.data()));
  CHECK(s.min == -1.5);
  CHECK(s.max == 1.5);
  CHECK(s.mean == 0);
}
