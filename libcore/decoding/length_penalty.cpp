#include "decoding/length_penalty.hpp"

#include <cmath>

#include "support/math_functions.hpp"

namespace headwater {

namespace {

// base > 0; exact for the exponents 0 and 1.
double real_power(double base, double exponent) {
  if (exponent >= 0 && exponent == std::floor(exponent) && exponent <= 64)
    return power(base, static_cast<std::int64_t>(exponent));
  return exponential(exponent * natural_logarithm(base));
}

}  // namespace

double length_penalty(const GenerationSettings& settings, std::int64_t tokens) {
  const double n = static_cast<double>(tokens);
  return settings.length_penalty_kind == LengthPenaltyKind::gnmt
             ? real_power((5 + n) / 6, settings.length_penalty)
             : real_power(n, settings.length_penalty);
}

}  // namespace headwater
