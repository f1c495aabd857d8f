// Leaves of a reduction plan, for the vector code that sums gradients over tokens.
#pragma once

#include "tensor/reduction_tree.hpp"

namespace headwater::kernels {

struct Leaves {
  const ReductionLeaf* first;
  Index count;
};
inline constexpr int kMaxPartialSums =
    64;  // of a reduction; a plan's depth grows with the logarithm of its tokens

}  // namespace headwater::kernels
