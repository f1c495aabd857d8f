// Dropout on one thread, once for each vector width.
#pragma once

#include <cstdint>

#include "support/random.hpp"
#include "tensor/matrix.hpp"

namespace headwater::kernels {

// An element is kept where its word is at least `bound`, and then multiplied by `scale`.
struct DropoutRule {
  RandomStream stream;
  std::uint32_t bound = 0;  // rate · 2^32; 0: nothing is dropped
  float scale = 1;          // 1 / (1 - rate)
};
DropoutRule dropout_rule(float rate, const RandomStream& stream);

struct DropoutTable {
  // y (+)= x, kept or not: element i of x has word first_element + i.
  void (*dropout)(Index n, const float* x, const DropoutRule& rule, std::uint64_t first_element, float* y,
                  bool accumulate);
};

}  // namespace headwater::kernels
