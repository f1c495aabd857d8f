// Working memory of a task: kept by each thread, grown when a larger problem comes, so that a step after the
// first allocates nothing.
#pragma once

#include "tensor/matrix.hpp"

namespace headwater::kernels {

// At least `count` floats aligned to 64 bytes, valid until this thread's next call.
float* thread_scratch(Index count);

// Working memory for several tasks: taken from a pool of buffers and put back there.
class SharedScratch {
 public:
  explicit SharedScratch(Index count);
  ~SharedScratch();
  SharedScratch(const SharedScratch&) = delete;
  SharedScratch& operator=(const SharedScratch&) = delete;
  float* data() const { return data_; }  // aligned to 64 bytes

 private:
  float* data_ = nullptr;
  Index capacity_ = 0;
};

}  // namespace headwater::kernels
