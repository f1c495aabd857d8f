// Elementary functions in double whose bits are those of their own formulas, on every machine with IEEE
// arithmetic: C libraries differ in the last bit, and one library does so between processors. For tables and
// schedules that training rests on; loops over activations have the float kernels (tensor/kernels.hpp).
// At most one unit in the last place from the right value (tests/unit/support/math_functions_test.cpp).
#pragma once

#include <cstdint>
#include <span>

namespace headwater {

// |x| <= 2^20.
double sine(double x);
double cosine(double x);

// x > 0, normal and finite.
double natural_logarithm(double x);

// e^x: 0 where x is below -708; x <= 709.
double exponential(double x);
// The same of each, several side by side.
void exponentials(std::span<double> x);

// 10000^x for x in [0, 1]: wavelengths of sinusoidal positions (Vaswani et al. 2017, sec. 3.5).
double power_of_ten_thousand(double x);

// base^exponent, exponent >= 0, by repeated squaring: of IEEE multiplications alone.
double power(double base, std::int64_t exponent);

}  // namespace headwater
