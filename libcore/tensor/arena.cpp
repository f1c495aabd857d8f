#include "tensor/arena.hpp"

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <new>

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

}  // namespace headwater
