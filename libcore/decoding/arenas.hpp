// Memory for parts of the work that run at the same time.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <vector>

#include "tensor/arena.hpp"

namespace headwater {

// Each part has one of these arenas while it runs.
class Arenas {
 public:
  Arenas(Arena& parent, std::size_t count) {
    constexpr std::size_t kUnit = std::size_t{1} << 21;  // large pages begin at its multiples
    parent.allocate(kUnit - parent.used() % kUnit);
    const std::size_t bytes = parent.available() / (count + 1) / kUnit * kUnit;
    for (std::size_t i = 0; i < count; ++i) free_.push_back(&arenas_.emplace_back(parent, bytes));
  }
  Arena& acquire() {
    const std::lock_guard lock(mutex_);
    Arena* const arena = free_.back();
    free_.pop_back();
    return *arena;
  }
  void release(Arena& arena) {
    const std::lock_guard lock(mutex_);
    free_.push_back(&arena);
  }

 private:
  std::deque<Arena> arenas_;
  std::vector<Arena*> free_;
  std::mutex mutex_;
};

}  // namespace headwater
