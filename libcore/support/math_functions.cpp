#include "support/math_functions.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace headwater {

namespace {

// Constants in parts: all but the last have 33 bits, so that their products with small whole numbers are
// exact.
constexpr std::array<double, 4> kHalfPi = {0x1.921fb54400000p+0, 0x1.0b4611a600000p-34, 0x1.3198a2e000000p-69,
                                           0x1.b839a252049c1p-104};
constexpr std::array<double, 3> kLn2 = {0x1.62e42fef00000p-1, 0x1.473de6af00000p-34, 0x1.3c7673007e5edp-69};
constexpr double kLn10000 = 0x1.26bb1bbb55515p+3, kLn10000Rest = 0x1.05ba95b58ae0bp-50;
constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1, kLog2OfE = 0x1.71547652b82fep+0;

constexpr double kLeastExponent = -708;  // e to what is below counts as 0

// 1 / n!, rounded once: factorials to 18 are exact in double.
constexpr std::array<double, 19> inverse_factorials() {
  std::array<double, 19> values{};
  double factorial = 1;
  for (std::size_t n = 0; n < values.size(); ++n) {
    factorial *= n == 0 ? 1.0 : static_cast<double>(n);
    values[n] = 1 / factorial;
  }
  return values;
}
constexpr std::array<double, 19> kInverseFactorial = inverse_factorials();

// A value and what its double leaves out.
struct Sum {
  double high, low;
};

// a + b without error, for |a| >= |b|.
Sum exact_sum(double a, double b) {
  const double high = a + b;
  return {high, b - (high - a)};
}

// x = quadrant · pi/2 + r, |r| <= pi/4 and a little.
struct Reduced {
  int quadrant;  // modulo 4
  double high, low;
};

Reduced reduce(double x) {
  const double turns = std::floor(x * kTwoOverPi + 0.5);
  // Products of 33 bits and turns, of 20 at the most, are exact.
  Sum sum = {x - turns * kHalfPi[0], 0};
  for (std::size_t part = 1; part < kHalfPi.size(); ++part) {
    const double product = -turns * kHalfPi[part];
    const double high = sum.high + product, moved = high - sum.high;
    sum = {high, sum.low + ((sum.high - (high - moved)) + (product - moved))};
  }
  const Sum tidy = exact_sum(sum.high, sum.low);
  const double quarter = turns - 4 * std::floor(turns / 4);
  return {static_cast<int>(quarter), tidy.high, tidy.low};
}

// Taylor series on |r| <= pi/4; the first term left out is below 2^-60 of the value.
double sine_near_zero(double r, double low) {
  const double square = r * r;
  double series = 0;
  for (std::size_t n = 17; n >= 3; n -= 2)
    series = kInverseFactorial[n] * (n % 4 == 3 ? -1 : 1) + square * series;
  return r + (r * square * series + low * (1 - 0.5 * square));
}

double cosine_near_zero(double r, double low) {
  const double square = r * r;
  double series = 0;
  for (std::size_t n = 18; n >= 4; n -= 2)
    series = kInverseFactorial[n] * (n % 4 == 2 ? -1 : 1) + square * series;
  const double half = 0.5 * square;
  const double high = 1 - half;
  return high + (((1 - high) - half) + (square * square * series - r * low));
}

double by_quadrant(const Reduced& x, int quadrant) {
  const double value = quadrant % 2 == 0 ? sine_near_zero(x.high, x.low) : cosine_near_zero(x.high, x.low);
  return quadrant >= 2 ? -value : value;
}

}  // namespace

double sine(double x) {
  const Reduced reduced = reduce(x);
  return by_quadrant(reduced, reduced.quadrant);
}

double cosine(double x) {
  const Reduced reduced = reduce(x);
  return by_quadrant(reduced, (reduced.quadrant + 1) % 4);
}

// x = 2^k · m with m in [sqrt(1/2), sqrt(2)]; ln m = 2 artanh(s) with s = (m - 1) / (m + 1).
double natural_logarithm(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);  // exact
  if (m < 0x1.6a09e667f3bcdp-1) {
    m *= 2;
    --exponent;
  }
  const double f = m - 1, s = f / (2 + f), square = s * s;
  double series = 0;
  for (int n = 23; n >= 3; n -= 2) series = 1.0 / n + square * series;
  // 2s = f - s·f: written so that f, which is exact, leads.
  const double correction = 2 * s * square * series - s * f;
  const double k = exponent;
  return k * kLn2[0] + (f + (correction + k * (kLn2[1] + kLn2[2])));
}

// x = k ln 2 + r, |r| <= ln 2 / 2. Of `kLanes` numbers, in steps that the compiler makes vectors of.
template <std::size_t kLanes>
static void exponentials_of(double* x) {
  double high[kLanes], rest[kLanes], series[kLanes] = {}, power_of_two[kLanes];
  for (std::size_t i = 0; i < kLanes; ++i) {
    const double k = std::floor(std::max(x[i], kLeastExponent) * kLog2OfE + 0.5);
    const Sum r = exact_sum(std::max(x[i], kLeastExponent) - k * kLn2[0], -k * kLn2[1]);
    high[i] = r.high;
    rest[i] = r.low - k * kLn2[2];
    power_of_two[i] = std::bit_cast<double>((static_cast<std::int64_t>(k) + 1022) << 52) * 2;
  }
  for (std::size_t n = 15; n >= 2; --n) {
    for (std::size_t i = 0; i < kLanes; ++i) series[i] = kInverseFactorial[n] + high[i] * series[i];
  }
  for (std::size_t i = 0; i < kLanes; ++i) {
    const double value = 1 + (high[i] + (high[i] * high[i] * series[i] + rest[i] * (1 + high[i])));
    x[i] = x[i] < kLeastExponent ? 0 : value * power_of_two[i];
  }
}

double exponential(double x) {
  exponentials_of<1>(&x);
  return x;
}

void exponentials(std::span<double> x) {
  constexpr std::size_t kLanes = 16;
  std::size_t i = 0;
  for (; i + kLanes <= x.size(); i += kLanes) exponentials_of<kLanes>(&x[i]);
  for (; i < x.size(); ++i) exponentials_of<1>(&x[i]);
}

// exp(t) with t = x · ln(10000) as a double and its rest; t = k ln 2 + r.
double power_of_ten_thousand(double x) {
  const double high = x * kLn10000;
  const double low = std::fma(x, kLn10000, -high) + x * kLn10000Rest;  // fma is exact by definition
  const double k = std::floor(high * kLog2OfE + 0.5);
  const Sum r = exact_sum(high - k * kLn2[0], low - k * kLn2[1]);
  const double rest = r.low - k * kLn2[2];
  double series = 0;
  for (std::size_t n = 15; n >= 2; --n) series = kInverseFactorial[n] + r.high * series;
  const double value = 1 + (r.high + (r.high * r.high * series + rest * (1 + r.high)));
  return std::ldexp(value, static_cast<int>(k));
}

double power(double base, std::int64_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent /= 2, base *= base) {
    if (exponent % 2 == 1) result *= base;
  }
  return result;
}

}  // namespace headwater
