#include "tensor/free_blocks.hpp"

#include <functional>
#include <new>  // IWYU pragma: keep

namespace headwater {

void FreeBlocks::add(void* address, std::size_t bytes) {
  if (bytes == 0) return;
  Block* before = nullptr;
  Block* after = first_;
  while (after != nullptr && std::less<void*>()(after, address)) {
    before = after;
    after = after->next;
  }
  auto* block = new (address) Block{bytes, after};
  const auto touches = [](const Block* lower, const Block* upper) {
    return reinterpret_cast<const char*>(lower) + lower->bytes == reinterpret_cast<const char*>(upper);
  };
  if (after != nullptr && touches(block, after)) {
    block->bytes += after->bytes;
    block->next = after->next;
  }
  if (before == nullptr) {
    first_ = block;
  } else if (touches(before, block)) {
    before->bytes += block->bytes;
    before->next = block->next;
  } else {
    before->next = block;
  }
}

void* FreeBlocks::take(std::size_t bytes) {
  const std::size_t rounded = (bytes + 63) / 64 * 64;
  if (rounded == 0) return nullptr;
  Block** best = nullptr;
  for (Block** at = &first_; *at != nullptr; at = &(*at)->next) {
    if ((*at)->bytes >= rounded && (best == nullptr || (*at)->bytes < (*best)->bytes)) best = at;
  }
  if (best == nullptr) return nullptr;
  Block* const block = *best;
  if (block->bytes == rounded) {
    *best = block->next;
  } else {
    *best = new (reinterpret_cast<char*>(block) + rounded) Block{block->bytes - rounded, block->next};
  }
  return block;
}

}  // namespace headwater
