#include "tensor/kernels/scratch.hpp"

#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace headwater::kernels {

namespace {

constexpr std::align_val_t kAlignment{64};
struct Release {
  void operator()(float* memory) const { ::operator delete(memory, kAlignment); }
};
using Memory = std::unique_ptr<float, Release>;

Memory allocate(Index count) {
  return Memory(
      static_cast<float*>(::operator new(static_cast<std::size_t>(count) * sizeof(float), kAlignment)));
}

struct Buffer {
  Memory memory;
  Index capacity;
};
struct Store {
  std::mutex mutex;
  std::vector<Buffer> free;
  std::size_t taken = 0;
};
Store& store() {
  static Store buffers;
  return buffers;
}

}  // namespace

float* thread_scratch(Index count) {
  thread_local Memory memory;
  thread_local Index capacity = 0;
  if (capacity < count) {
    memory.reset();
    capacity = 0;
    memory = allocate(count);
    capacity = count;
  }
  return memory.get();
}

SharedScratch::SharedScratch(Index count) {
  Store& buffers = store();
  Buffer taken{nullptr, 0};
  {
    const std::lock_guard lock(buffers.mutex);
    buffers.free.reserve(buffers.free.size() + ++buffers.taken);  // so that giving back cannot fail
    if (!buffers.free.empty()) {
      taken = std::move(buffers.free.back());
      buffers.free.pop_back();
    }
  }
  if (taken.capacity < count) {
    try {
      taken = {allocate(count), count};
    } catch (...) {
      const std::lock_guard lock(buffers.mutex);
      --buffers.taken;
      throw;
    }
  }
  data_ = taken.memory.release();
  capacity_ = taken.capacity;
}

SharedScratch::~SharedScratch() {
  Store& buffers = store();
  Memory memory(data_);
  const std::lock_guard lock(buffers.mutex);
  --buffers.taken;
  buffers.free.push_back({std::move(memory), capacity_});
}

}  // namespace headwater::kernels
