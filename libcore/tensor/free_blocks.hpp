// Blocks of an arena that are free again before its reset.
#pragma once

#include <cstddef>

namespace headwater {

// The list lives in the blocks themselves, sorted by address; neighbours are joined. Addresses and sizes are
// multiples of 64 bytes.
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

}  // namespace headwater
