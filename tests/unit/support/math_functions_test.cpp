#include "support/math_functions.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "support/hash.hpp"
#include "support/random.hpp"

using namespace headwater;

namespace {

// Distance in units of the last place of the right value.
double error_in_ulps(double value, long double right) {
  const double rounded = static_cast<double>(right);
  const double ulp =
      std::nextafter(std::abs(rounded), std::numeric_limits<double>::infinity()) - std::abs(rounded);
  return static_cast<double>(std::abs(static_cast<long double>(value) - right) /
                             static_cast<long double>(ulp));
}

// In [0, 1).
double drawn(std::uint64_t i) {
  return random_word({.seed = 11, .purpose = Purpose::split, .step = 1}, i) / 4294967296.0;
}

constexpr int kPoints = 20000;

struct Bits {
  std::string bytes;
  void add(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(bits >> shift & 255);
  }
  std::string hash() const {
    Hasher hasher;
    hasher.update(bytes);
    return hasher.digest();
  }
};

}  // namespace

TEST_CASE("elementary functions: one unit in the last place, the same bits everywhere") {
  Bits bits;
  double worst_sine = 0, worst_cosine = 0, worst_logarithm = 0, worst_power = 0;
  for (int i = 0; i < kPoints; ++i) {
    const double range = std::ldexp(1.0, i % 21);
    const double x = (2 * drawn(static_cast<std::uint64_t>(i)) - 1) * range;
    worst_sine = std::max(worst_sine, error_in_ulps(sine(x), std::sin(static_cast<long double>(x))));
    worst_cosine = std::max(worst_cosine, error_in_ulps(cosine(x), std::cos(static_cast<long double>(x))));
    const double y = std::ldexp(drawn(static_cast<std::uint64_t>(i + kPoints)) + 1e-9, i % 61 - 30);
    worst_logarithm =
        std::max(worst_logarithm, error_in_ulps(natural_logarithm(y), std::log(static_cast<long double>(y))));
    const double z = drawn(static_cast<std::uint64_t>(i + 2 * kPoints));
    worst_power = std::max(worst_power, error_in_ulps(power_of_ten_thousand(z),
                                                      std::pow(10000.0L, static_cast<long double>(z))));
    for (const double value : {sine(x), cosine(x), natural_logarithm(y), power_of_ten_thousand(z)})
      bits.add(value);
  }
  CHECK(worst_sine <= 1);
  CHECK(worst_cosine <= 1);
  CHECK(worst_logarithm <= 1);
  CHECK(worst_power <= 1);
  CHECK(bits.hash() == "c24bfce1378a751ad7c515e4e14a614f");
}

TEST_CASE("elementary functions: exact where the value is") {
  CHECK(sine(0) == 0);
  CHECK(cosine(0) == 1);
  CHECK(cosine(std::numbers::pi) == -1);
  CHECK(sine(-0.5) == -sine(0.5));
  CHECK(natural_logarithm(1) == 0);
  CHECK(natural_logarithm(2) == std::numbers::ln2);
  CHECK(power_of_ten_thousand(0) == 1);
  CHECK(power_of_ten_thousand(0.5) == 100);
  CHECK(power_of_ten_thousand(0.25) == 10);
  CHECK(power_of_ten_thousand(1) == 10000);
}

TEST_CASE("e^x of many numbers has the bits of each alone, a last place from the C library's at most") {
  std::vector<double> x;
  for (int i = 0; i <= 20'003; ++i) x.push_back(-712 + i * (1421.0 / 20'003));
  for (const double special : {0.0, -0.0, 1e-300, -1e-17, -708.0, -707.9999, 709.0, -1e9})
    x.push_back(special);
  std::vector<double> all = x;
  exponentials(all);
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK(all[i] == exponential(x[i]));
    if (x[i] < -708) {
      CHECK(all[i] == 0);
    } else {
      const double right = std::exp(x[i]);
      CHECK((std::nextafter(right, 0) <= all[i] && all[i] <= std::nextafter(right, 1e308)));
    }
  }
}
