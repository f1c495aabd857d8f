// Memory for one step: addresses are reserved once, handed out in order and taken back together.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <span>
#include <type_traits>
#include <vector>

#include "tensor/matrix.hpp"

namespace headwater {

// Blocks are aligned to 64 bytes and not cleared. Pages are touched by their first use only, and stay warm
// afterwards, so that a step after the largest one allocates nothing. Throws std::bad_alloc when the reserve
// is used up.
class Arena {
 public:
  // Where the address space is limited (ulimit -v): one part of `parts` of it, or less.
  explicit Arena(std::size_t reserve_bytes = std::size_t{1} << 38, int parts = 2);
  // `bytes` of the parent's addresses, which must live longer and take them back: for work beside the
  // parent's on another thread. Pages are still touched by their first use only.
  Arena(Arena& parent, std::size_t bytes)
      : base_(static_cast<char*>(parent.allocate(bytes))), reserved_(bytes), is_part_(true) {}
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  void* allocate(std::size_t bytes);

  template <class T>
  T* allocate_array(Index count) {
    static_assert(std::is_trivially_destructible_v<T>, "the arena runs no destructors");
    return static_cast<T*>(allocate(static_cast<std::size_t>(count) * sizeof(T)));
  }

  template <class T>
  std::span<T> span(Index count) {
    return {allocate_array<T>(count), static_cast<std::size_t>(count)};
  }

  Matrix matrix(Index rows, Index cols) { return {allocate_array<Real>(rows * cols), rows, cols}; }

  // Takes back everything handed out since used() was `mark`.
  void reset(std::size_t mark = 0) { used_ = mark; }
  std::size_t used() const { return used_; }
  void* at(std::size_t offset) const { return base_ + offset; }  // where the byte after `offset` used ones is
  std::size_t peak() const { return peak_; }                     // bytes, the most ever in use
  std::size_t available() const { return reserved_ - used_; }

 private:
  char* base_ = nullptr;
  std::size_t reserved_ = 0, used_ = 0, peak_ = 0;
  bool is_part_ = false;  // of another arena
};

// Takes back on leaving the scope.
class ArenaScope {
 public:
  explicit ArenaScope(Arena& arena) : arena_(arena), mark_(arena.used()) {}
  ~ArenaScope() { arena_.reset(mark_); }
  ArenaScope(const ArenaScope&) = delete;
  ArenaScope& operator=(const ArenaScope&) = delete;

 private:
  Arena& arena_;
  std::size_t mark_;
};

// Blocks of an arena that are free again before its reset. The list lives in the blocks themselves, sorted by
// address; neighbours are joined. Addresses and sizes are multiples of 64 bytes.
class FreeBlocks {
 public:
  void add(void* block, std::size_t bytes);
  // A block of at least `bytes`, the smallest that fits (the lowest of equals); null where there is none.
  void* take(std::size_t bytes);

 private:
  struct Block {
    std::size_t bytes;
    Block* next;
  };
  Block* first_ = nullptr;
};

// Memory for parts of the work that run at the same time: each has one of these arenas while it runs.
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
