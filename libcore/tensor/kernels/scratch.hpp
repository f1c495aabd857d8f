// Working memory of a task: kept by each thread, grown when a larger problem comes, so that a step after the
// first allocates nothing.
#pragma once

#include "tensor/matrix.hpp"

namespace headwater::kernels {

// At least `count` floats aligned to 64 bytes, valid until this thread's next call.
float* thread_scratch(Index count);

}  // namespace headwater::kernels
