#include "tensor/arena.hpp"

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <functional>
#include <new>  // IWYU pragma: keep

namespace headwater {

Arena::Arena(std::size_t reserve_bytes, int parts) : reserved_(reserve_bytes) {
  constexpr std::size_t kLeast = std::size_t{1} << 24, kPage = 4096;
#ifdef HEADWATER_ARENA_BYTES
  reserved_ = std::min(reserved_, std::size_t{HEADWATER_ARENA_BYTES});
#endif
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    const std::size_t part = limit.rlim_cur / static_cast<std::size_t>(parts) / kPage * kPage;
    reserved_ = std::min(reserved_, std::max(part, kLeast));
  }
  for (;; reserved_ /= 2) {
    void* address =
        mmap(nullptr, reserved_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (address != MAP_FAILED) {
      base_ = static_cast<char*>(address);
      break;
    }
    if (reserved_ <= kLeast) throw std::bad_alloc();
  }
  // Advice only: large pages save most of the TLB misses of a step.
  madvise(base_, reserved_, MADV_HUGEPAGE);
}

Arena::~Arena() {
  if (!is_part_) munmap(base_, reserved_);
}

void* Arena::allocate(std::size_t bytes) {
  const std::size_t rounded = (bytes + 63) / 64 * 64;
  if (rounded < bytes || rounded > reserved_ - used_) throw std::bad_alloc();
  void* block = base_ + used_;
  used_ += rounded;
  peak_ = std::max(peak_, used_);
  return block;
}

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
