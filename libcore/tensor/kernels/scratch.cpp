#include "tensor/kernels/scratch.hpp"

#include <pthread.h>

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

namespace {

// Frees a thread's scratch as it ends. Not a thread_local with a destructor: the C library ends the program
// where a thread has no memory left to register one.
pthread_key_t owned_scratch() {
  static const pthread_key_t key = [] {
    pthread_key_t made{};
    const int failed =
        ::pthread_key_create(&made, [](void* memory) { Release()(static_cast<float*>(memory)); });
    if (failed != 0) throw std::bad_alloc();
    return made;
  }();
  return key;
}

}  // namespace

float* thread_scratch(Index count) {
  thread_local float* memory = nullptr;
  thread_local Index capacity = 0;
  if (capacity < count) {
    const pthread_key_t key = owned_scratch();
    ::pthread_setspecific(key, nullptr);
    Release()(std::exchange(memory, nullptr));
    capacity = 0;
    Memory larger = allocate(count);
    if (::pthread_setspecific(key, larger.get()) != 0) throw std::bad_alloc();
    memory = larger.release();
    capacity = count;
  }
  return memory;
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
