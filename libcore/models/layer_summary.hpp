// One row of the table of layers.
#pragma once

#include <string>
#include <string_view>

#include "autograd/parameter.hpp"

namespace headwater {

struct LayerSummary {
  std::string name;
  std::string output_shape;  // letters for what depends on the input: "[S, 256]"
  Index parameters = 0;
  double flops = 0;  // a forward pass over one example of the full length
};

// Numbers in the parameters whose names begin so.
inline Index parameters_of(const Parameters& parameters, std::string_view prefix) {
  Index sum = 0;
  for (const auto& p : parameters.all()) {
    if (p->name.starts_with(prefix)) sum += p->size();
  }
  return sum;
}

}  // namespace headwater
