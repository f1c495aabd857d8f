// Rotary positions: cosines and sines for queries and keys of attention.
#pragma once

#include <vector>

#include "tensor/matrix.hpp"

namespace headwater {

// Cosines and sines of the angles p / 10000^(2i/K) of positions p < N and pairs i < K/2 (Su et al. 2021,
// sec. 3.2.2): as ops::rotate reads them.
class RotaryTable {
 public:
  RotaryTable(Index length, Index head_width);  // K is even
  ConstMatrix view() const { return {static_cast<const Real*>(values_.data()), length_, head_width_}; }

 private:
  Index length_, head_width_;
  std::vector<Real> values_;
};

}  // namespace headwater
