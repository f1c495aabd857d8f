// Leaves of a fold plan, for the vector code that sums gradients over tokens.
#pragma once

#include "tensor/fold.hpp"

namespace headwater::kernels {

struct Leaves {
  const FoldLeaf* first;
  Index count;
};
inline constexpr int kMostPartialSums =
    64;  // of a fold; a plan's depth grows with the logarithm of its tokens

}  // namespace headwater::kernels
