#include "decoding/hypothesis.hpp"

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
  const double alpha = settings.search.length_penalty;
  return settings.search.length_penalty_kind == "gnmt" ? real_power((5 + n) / 6, alpha)
                                                       : real_power(n, alpha);
}

}  // namespace headwater
