#include "tensor/kernels/scratch.hpp"

#include <memory>
#include <new>

namespace headwater::kernels {

namespace {
constexpr std::align_val_t kAlignment{64};
struct Release {
  void operator()(float* memory) const { ::operator delete(memory, kAlignment); }
};
}  // namespace

float* thread_scratch(Index count) {
  thread_local std::unique_ptr<float, Release> memory;
  thread_local Index capacity = 0;
  if (capacity < count) {
    memory.reset();
    capacity = 0;
    memory.reset(
        static_cast<float*>(::operator new(static_cast<std::size_t>(count) * sizeof(float), kAlignment)));
    capacity = count;
  }
  return memory.get();
}

}  // namespace headwater::kernels
